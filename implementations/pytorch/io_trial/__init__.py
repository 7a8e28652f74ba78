"""Measure the input without training: `train.py --io-only`. Its log is never scored."""
