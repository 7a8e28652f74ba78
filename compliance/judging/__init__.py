"""Judge logs, sets and submissions by the rules, within a budget, in one process or several."""
