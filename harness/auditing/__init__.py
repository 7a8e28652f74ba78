"""Audit a run of somebody else: replay its first epochs, or evaluate its final weights again."""
