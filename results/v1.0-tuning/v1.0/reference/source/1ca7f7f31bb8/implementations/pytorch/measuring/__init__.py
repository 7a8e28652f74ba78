"""Measurements of a run and of the machine: throughput, phases, peaks, the system description."""
