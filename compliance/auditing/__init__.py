"""What a reviewer knows of a submission: what was read, what was run again, what is left to people."""
