"""The checker: judges logs and submissions by the rules of an edition."""
