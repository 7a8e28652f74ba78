"""Training: steps, epochs, checkpoints, the log, the end of a run."""
