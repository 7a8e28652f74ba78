"""Make a set of runs, from nothing or from a part of it."""
