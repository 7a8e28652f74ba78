"""Results: submissions, and the tools that turn runs into scores."""
