"""What runs in DLIO's environment."""
