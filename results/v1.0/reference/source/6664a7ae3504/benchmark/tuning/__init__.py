"""Tuning campaigns: what is searched, which point each trial has, when a trial ends, and the tables of settings."""
