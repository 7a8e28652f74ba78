"""Convergence of problems: reading runs, keeping them in one file, and drawing them."""
