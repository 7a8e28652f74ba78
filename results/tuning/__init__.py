"""Campaigns of tuning as scores: what they cost, what they found, and the tables of settings that follow."""
