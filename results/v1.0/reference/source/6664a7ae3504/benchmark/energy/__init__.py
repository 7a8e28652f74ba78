"""Measure the energy of a node by the counters of joules that it has and that can be read."""
