"""Runs that took much longer than their set's other runs.

An interval of a figure of merit is that of usual runs: where some are far slower, it says little of the mean of all.
"""

import math
from collections.abc import Sequence

from results.statistics.score import median

SLOW = 1.5  # times the median: runs that vary by 10 % get there once in 10^6 runs, the fault that is meant doubles them


def slow_runs(seconds: Sequence[float]) -> list[tuple[int, float]]:
    """(index, how many times the median) of the runs that took SLOW times the median of those that converged, or more;
    the slowest first. [] of fewer than three that converged: two don't say which of them is unusual."""
    known = [s for s in seconds if math.isfinite(s)]
    if len(known) < 3:
        return []
    usual = median(known).value
    found = [(i, s / usual) for i, s in enumerate(seconds) if math.isfinite(s) and s >= SLOW * usual]
    return sorted(found, key=lambda run: -run[1])
