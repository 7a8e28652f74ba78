"""How problems converge: runs from their logs, kept in one file, as table, figures and reference points."""
