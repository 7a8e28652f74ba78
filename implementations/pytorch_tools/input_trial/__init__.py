"""Measure the input without training, for io_trial.py. The log is never scored."""
