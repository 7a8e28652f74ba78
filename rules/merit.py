"""The figure of merit of a set of runs: the one formula that the checker and the results use."""

import math
from collections.abc import Sequence


def trim_count(n: int) -> int:
    """Runs dropped from each end of `n`: max(1, ceil(n / 10))."""
    return max(1, -(-n // 10))


def least_runs() -> int:
    """The smallest number of runs from which something is left after trimming."""
    return next(n for n in range(1, 100) if n > 2 * trim_count(n))


def kept(seconds: Sequence[float]) -> list[int]:
    """Indices of the runs that a figure of merit averages, in the order given: all but the k fastest and k slowest.

    Equal times are told apart by position, so that the number kept is always n - 2k.
    """
    k = trim_count(len(seconds))
    order = sorted(range(len(seconds)), key=lambda i: (seconds[i], i))
    return sorted(order[k : len(seconds) - k])


def figure_of_merit(seconds: Sequence[float]) -> float | None:
    """The mean of the runs kept, in seconds. A run that did not converge took `math.inf`; with more than k of these
    there is none, nor where nothing is left."""
    times = [seconds[i] for i in kept(seconds)]
    return math.fsum(times) / len(times) if times and all(map(math.isfinite, times)) else None
