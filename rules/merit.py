"""The figure of merit of a set of runs. The checker and the results both use it."""

import math
from collections.abc import Sequence


def trim_count(n: int) -> int:
    """Return the number of runs that are dropped at each end of `n`: max(1, ceil(n / 10))."""
    return max(1, -(-n // 10))


def least_runs() -> int:
    """Return the smallest number of runs of which some are left after trimming."""
    return next(n for n in range(1, 100) if n > 2 * trim_count(n))


def kept(seconds: Sequence[float]) -> list[int]:
    """Return the indices of the runs that a figure of merit averages, in order: all but the k fastest and k slowest.

    Position breaks ties, so that always n - 2k runs are kept.
    """
    k = trim_count(len(seconds))
    order = sorted(range(len(seconds)), key=lambda i: (seconds[i], i))
    return sorted(order[k : len(seconds) - k])


def figure_of_merit(seconds: Sequence[float]) -> float | None:
    """Return the mean of the kept runs in seconds. A run that did not converge has `math.inf`. Return None with more
    than k of these, and if no run is left."""
    times = [seconds[i] for i in kept(seconds)]
    return math.fsum(times) / len(times) if times and all(map(math.isfinite, times)) else None
