"""Runs that took much longer than their set's other runs.

The interval of a figure of merit describes the usual runs. It says little about the mean of all runs if some are far
slower.
"""

import math
from collections.abc import Sequence
from statistics import median

SLOW = 1.5  # times the median: with 10 % of spread, one run in 10^6 takes so long; a typical fault doubles the time


def slow_runs(seconds: Sequence[float]) -> list[tuple[int, float]]:
    """(index, seconds over the median) of each run that took at least SLOW times the median of the converged runs, the
    slowest first. [] below three converged runs: two do not show which of them is unusual."""
    known = [s for s in seconds if math.isfinite(s)]
    if len(known) < 3:
        return []
    usual = median(known)
    found = [(i, s / usual) for i, s in enumerate(seconds) if math.isfinite(s) and s >= SLOW * usual]
    return sorted(found, key=lambda run: -run[1])
