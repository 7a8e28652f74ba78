"""Comparing two sets of runs: whether A is faster than B, by how much, and how sure that is.

Pure functions over run times in seconds; infinity is a run that did not converge.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from results.statistics.score import FEWEST, winsorized_squares
from results.statistics.student import Part, half_width, welch
from rules.merit import trim_count

# The nominal error rate. With five runs of unequal spread, Yuen's test then errs in up to 5.5 % (docs/measures.md).
ERROR = 0.035


@dataclass(frozen=True)
class LogMean:
    """The trimmed mean of log(seconds). `d` is its squared standard error, `h` the number of values kept."""

    mean: float
    d: float
    h: int


def log_mean(times: Sequence[float], step: float = 0.0) -> LogMean | None:
    """The trimmed mean of the logarithms of run times in seconds; None with fewer than 5 runs, or if more runs failed
    than trimming drops.

    `step` is the seconds between evaluations, 0 if unknown. The standard deviation is taken as half a step at least:
    a few runs that need the same number of epochs do not show that all runs do.
    """
    n, k = len(times), trim_count(len(times))
    ordered = sorted(times)
    if n < FEWEST or not math.isfinite(ordered[n - k - 1]):
        return None
    logs = [math.log(t) if math.isfinite(t) else math.inf for t in ordered]
    kept = logs[k : n - k]
    h = len(kept)
    least = step / ordered[n // 2] / 2
    return LogMean(math.fsum(kept) / h, winsorized_squares(logs, k, least) / (h * (h - 1)), h)


@dataclass(frozen=True)
class Contrast:
    """The times of set A compared with those of set B. `ratio` is time(A) / time(B): below 1, A is faster.

    `low` and `high` are the ends of the ratio's interval; all three are None without an interval. `faster` is the
    probability that a run of A is faster than a run of B, ties counting half (Mann and Whitney's U over nm). `degrees`
    are the interval's degrees of freedom, None if it has no width.
    """

    ratio: float | None
    low: float | None
    high: float | None
    faster: float
    degrees: float | None = None

    @property
    def holds_1(self) -> bool:
        """Whether there is an interval, and it includes 1."""
        return self.low is not None and self.high is not None and self.low <= 1 <= self.high

    @property
    def separated(self) -> bool:
        """Whether every run of one set is faster than every run of the other, in sets that have an interval."""
        return self.low is not None and self.faster in (0.0, 1.0)

    @property
    def distinguishable(self) -> bool | None:
        """Whether the interval excludes 1, or the runs separate; None without an interval."""
        return None if self.low is None else self.separated or not self.holds_1


def contrast(
    a: Sequence[float], b: Sequence[float], steps: tuple[float, float] = (0.0, 0.0), together: int = 1
) -> Contrast:
    """Yuen's test with Welch's degrees of freedom, on log time (Yuen 1974): the ratio of trimmed geometric means.

    `a` and `b` are seconds, `steps` the seconds between evaluations of A and of B. `together` is the number of ratios
    that are shown side by side: with some 95 % probability all their intervals hold at once (Bonferroni).
    """
    x, y = log_mean(a, steps[0]), log_mean(b, steps[1])
    faster = probability_faster(a, b)
    if x is None or y is None:
        return Contrast(None, None, None, faster)
    difference, causes = x.mean - y.mean, [Part(m.d, m.h - 1) for m in (x, y)]
    half = half_width(causes, ERROR / together)
    low, high = math.exp(difference - half), math.exp(difference + half)
    return Contrast(math.exp(difference), low, high, faster, welch(causes))


def probability_faster(a: Sequence[float], b: Sequence[float]) -> float:
    """P(A < B) + P(A = B) / 2 over all pairs of runs; NaN if either set is empty."""
    if not a or not b:
        return math.nan
    halves = np.less.outer(a, b).sum() + np.less_equal.outer(a, b).sum()
    return float(halves / (2 * len(a) * len(b)))
