"""From the command line to a run that is ready, and to the exit code at its end."""
