"""The law: one folder per edition, each with its text (rules.md) and its numbers (limits.yaml)."""
