"""Read a submission once: its files, its logs and its runs. Checks and results both work on what it returns."""
