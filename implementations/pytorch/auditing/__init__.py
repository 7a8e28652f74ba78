"""What a reviewer runs again of somebody else's run."""
