"""Statistics of run times: the score of a set, and the comparison of two sets."""
