"""Results as tables: a record for each set, and their forms as text, Markdown, CSV and JSON."""
