"""ScaFFold in one file, for people to read."""
