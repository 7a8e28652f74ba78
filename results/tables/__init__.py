"""Results as tables: the runs, a record a set, and their forms as text."""
