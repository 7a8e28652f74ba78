"""Results: the published submissions, and the tools that score and compare judged runs."""
