"""Campaigns of tuning: what is searched, which point each trial has, when a trial ends, and the tables that result."""
