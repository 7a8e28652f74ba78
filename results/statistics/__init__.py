"""Statistics of run times: the score of a set, the comparison of two sets, and the parts of a run's time."""
