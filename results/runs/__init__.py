"""What is known of each run: the rows from which all results are computed."""
