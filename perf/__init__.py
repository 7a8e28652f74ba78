"""Measurements and predictions. No run loads them."""
