"""Measurements of steps: throughput, phases, the peak rate."""
