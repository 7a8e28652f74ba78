"""What run times are worth: the score of a set, two sets side by side, and where the time of a run went."""
