"""Exports for DLIO."""
