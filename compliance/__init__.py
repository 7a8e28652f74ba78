"""The judge: holds logs and submission trees against the rules."""
