"""Energy of a node: counters of joules that are there and readable, read while something runs. No framework."""
