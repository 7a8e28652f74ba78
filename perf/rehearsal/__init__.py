"""A run of one rank of many without the machine: what it would keep, send and meet."""
