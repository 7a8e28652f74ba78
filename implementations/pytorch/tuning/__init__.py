"""Tuning campaigns: their trials, the outside sampler, and where the shift comes from."""
