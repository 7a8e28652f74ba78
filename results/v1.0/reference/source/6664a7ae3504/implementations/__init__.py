"""Implementations of the benchmark; `pytorch` is the reference."""
