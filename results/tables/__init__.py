"""Results as tables: a row for each run, a record for each set, and their forms as text, Markdown, CSV and JSON."""
