"""Ranges of ranks: which places a set of runs may have among others.

All pairs of sets are tested, each with Yuen's test and Welch's degrees of freedom on log time, as in `contrast`. Of n
sets there are n (n - 1) / 2 pairs, so that some would differ by chance: Holm's procedure (Holm 1979, Scandinavian
Journal of Statistics 6, 65-70) keeps the probability that any two equal sets are told apart at 5 % at most. The ranges
follow from the pairs that are told apart, and hold all at once with the same probability (Mohamad, Goeman and van Zwet
2018, arXiv 1812.05507).

Two sets of which every run of one is faster than every run of the other are told apart, too, whatever Holm's procedure
says: no range spans a pair that its own runs separate. Of two equal populations of n and m runs that happens by chance
with probability 2 / C(n + m, n): 0.8 % for 5 and 5 runs, 0.001 % for 10 and 10. It is not corrected for the number of
pairs, so that a table of many sets of 5 runs errs more often than 5 %. docs/measures.md has both.
"""

from collections.abc import Sequence

import numpy as np

from results.statistics.contrast import ERROR, LogMean, log_mean


def rank_ranges(sets: Sequence[Sequence[float]], steps: Sequence[float] | None = None) -> list[tuple[int, int] | None]:
    """(best, worst) rank of each of n sets: 1 + the number of sets told to be faster, n - the number told to be slower.

    `sets` are run times in seconds, infinity for a run that did not converge; `steps` are the seconds between
    evaluations. A set without interval gets None, and does not count for the others.
    """
    means = [log_mean(times, step) for times, step in zip(sets, steps or [0.0] * len(sets), strict=True)]
    known = [i for i, mean in enumerate(means) if mean is not None]
    ranges: list[tuple[int, int] | None] = [None] * len(sets)
    if not known:
        return ranges
    slower = told_apart([mean for mean in means if mean is not None]) | separated([sets[i] for i in known])
    for at, i in enumerate(known):
        ranges[i] = (1 + int(slower[at].sum()), len(known) - int(slower[:, at].sum()))
    return ranges


def told_apart(means: Sequence[LogMean]) -> np.ndarray:
    """An n x n boolean array: whether set i is told to be slower than set j."""
    n = len(means)
    first, second = np.triu_indices(n, 1)
    mean = np.array([m.mean for m in means])
    differ = holm(p_values(mean, np.array([m.d for m in means]), np.array([m.h for m in means])))
    slower = np.zeros((n, n), bool)
    slower[first, second] = differ & (mean[first] > mean[second])
    slower[second, first] = differ & (mean[first] < mean[second])
    return slower


def separated(sets: Sequence[Sequence[float]]) -> np.ndarray:
    """An n x n boolean array: whether every run of set i took longer than every run of set j."""
    fastest, slowest = np.array([min(times) for times in sets]), np.array([max(times) for times in sets])
    return fastest[:, None] > slowest[None, :]


def p_values(mean: np.ndarray, d: np.ndarray, h: np.ndarray) -> np.ndarray:
    """The two-sided p of each pair of n sets, in the order of `numpy.triu_indices`, from what `LogMean` has of each."""
    from scipy.special import stdtr  # takes longer to import than a small round to rank

    first, second = np.triu_indices(len(mean), 1)
    a, b = d[first], d[second]
    distance, squared = np.abs(mean[first] - mean[second]), a + b
    with np.errstate(divide="ignore", invalid="ignore"):  # runs without any spread
        degrees = squared**2 / (a**2 / (h[first] - 1) + b**2 / (h[second] - 1))
        p = 2 * stdtr(degrees, -distance / np.sqrt(squared))
    return np.where(squared > 0, p, np.where(distance > 0, 0.0, 1.0))


def holm(p: np.ndarray, error: float = ERROR) -> np.ndarray:
    """Which of m hypotheses Holm's procedure rejects: it compares the smallest p with error / m, the next with error /
    (m - 1), and stops at the first that is above. It rejects a true one with probability `error` at most."""
    order = np.argsort(p)
    rejected = np.zeros(len(p), bool)
    rejected[order] = np.logical_and.accumulate(p[order] <= error / np.arange(len(p), 0, -1))
    return rejected
