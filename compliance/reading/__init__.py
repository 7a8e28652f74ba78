"""The one reading of a submission: what is there, what each log says, what a run is. Checks and results work on it."""
