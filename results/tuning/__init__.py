"""Scoring campaigns of tuning: what they cost, what they found, and the tables of settings made from them."""
