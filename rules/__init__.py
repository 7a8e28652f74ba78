"""The law: one folder per edition, rules/<edition>/{rules.md,limits.yaml}."""
