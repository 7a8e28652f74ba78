"""The public face for implementations: what a program needs to be a run. It needs no framework."""
