"""A trial of the input alone: `train.py --io-only`. Its log is no run's, and it trains nothing."""
