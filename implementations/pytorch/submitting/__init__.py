"""A set of runs, from nothing or from what is there of it."""
