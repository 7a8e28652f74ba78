"""Exports for DLIO, and its environment."""
