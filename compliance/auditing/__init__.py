"""The parts of compliance/audit.py: points for people with their evidence, replays, and the template for reviews."""
