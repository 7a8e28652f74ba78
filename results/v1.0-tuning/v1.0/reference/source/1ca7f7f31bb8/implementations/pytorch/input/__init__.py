"""Samples on their way from files to the device."""
