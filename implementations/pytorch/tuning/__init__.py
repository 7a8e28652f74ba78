"""Campaigns of tuning: their trials, several at once, the outside sampler, and the confirmation runs."""
