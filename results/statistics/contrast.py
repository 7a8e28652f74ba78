"""Two sets of runs compared: is A faster than B, by how much, and how sure is that.

Pure functions over run times in seconds; infinity is a run that did not converge.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from results.statistics.score import FEWEST, LEVEL, tied_step, winsorized_squares
from results.statistics.student import t_quantile
from rules.merit import trim_count


@dataclass(frozen=True)
class LogMean:
    """The trimmed mean of log(seconds), with `d` its squared standard error and `h` the values kept."""

    mean: float
    d: float
    h: int


def log_mean(times: Sequence[float], step: float = 0.0) -> LogMean | None:
    """None where there is no interval: fewer than 5 runs, or more that failed than trimming drops. `step` as in
    `results.statistics.score`: the time between evaluations, 0 where it isn't known."""
    n, k = len(times), trim_count(len(times))
    ordered = sorted(times)
    if n < FEWEST or not math.isfinite(ordered[n - k - 1]):
        return None
    logs = [math.log(t) if math.isfinite(t) else math.inf for t in ordered]
    kept = logs[k : n - k]
    h = len(kept)
    relative = max(step, tied_step(ordered)) / ordered[n // 2]
    return LogMean(math.fsum(kept) / h, winsorized_squares(logs, k, relative) / (h * (h - 1)), h)


@dataclass(frozen=True)
class Contrast:
    """A against B. `ratio` is time(A) / time(B): below 1, A is faster.

    `ratio`, `low` and `high` are None where there is no interval; `faster` is the probability that a run of A is
    faster than a run of B, ties counting half (Mann and Whitney's U over nm).
    """

    ratio: float | None
    low: float | None
    high: float | None
    faster: float

    @property
    def distinguishable(self) -> bool | None:
        """Whether the interval excludes 1; None where there is none."""
        return None if self.low is None else not self.low <= 1 <= self.high


def contrast(a: Sequence[float], b: Sequence[float], steps: tuple[float, float] = (0.0, 0.0)) -> Contrast:
    """Yuen's test with Welch's degrees of freedom, on log time (Yuen 1974): the ratio of trimmed geometric means.

    `steps` are the times between evaluations of A and of B.
    """
    x, y = log_mean(a, steps[0]), log_mean(b, steps[1])
    faster = probability_faster(a, b)
    if x is None or y is None:
        return Contrast(None, None, None, faster)
    difference, error = x.mean - y.mean, math.sqrt(x.d + y.d)
    half = quantile(welch(x, y)) * error if error else 0.0
    return Contrast(math.exp(difference), math.exp(difference - half), math.exp(difference + half), faster)


def quantile(degrees: float) -> float:
    """Standard errors from the middle of an interval to its end."""
    return t_quantile((1 + LEVEL) / 2, degrees)


def welch(x: LogMean, y: LogMean) -> float:
    """Welch's degrees of freedom, after trimming."""
    return (x.d + y.d) ** 2 / (x.d**2 / (x.h - 1) + y.d**2 / (y.h - 1))


def differ(x: LogMean, y: LogMean) -> bool:
    """Whether the 95 % interval of a pair's ratio excludes 1.

    The quantile falls with the degrees of freedom: those of the whole numbers around them, which many pairs share,
    decide nearly all.
    """
    error, distance = math.sqrt(x.d + y.d), abs(x.mean - y.mean)
    if not error:
        return distance > 0
    degrees = welch(x, y)
    if distance > quantile(math.floor(degrees)) * error:
        return True
    return distance > quantile(math.ceil(degrees)) * error and distance > quantile(degrees) * error


def probability_faster(a: Sequence[float], b: Sequence[float]) -> float:
    """P(A < B) + P(A = B) / 2 over all pairs. NaN when either is empty. O((n + m) log m)."""
    if not a or not b:
        return math.nan
    ordered = sorted(b)
    halves = sum(2 * len(b) - bisect_left(ordered, t) - bisect_right(ordered, t) for t in a)
    return halves / (2 * len(a) * len(b))


def rank_ranges(sets: Sequence[Sequence[float]], steps: Sequence[float] | None = None) -> list[tuple[int, int] | None]:
    """The best and the worst rank each set could have: 1 + how many are surely faster, n - how many surely slower.

    "Surely" is a 95 % interval of the pair's ratio that excludes 1. Sets without an interval get None and rank
    nobody.
    """
    means = [log_mean(times, step) for times, step in zip(sets, steps or [0.0] * len(sets), strict=True)]
    known = [i for i, m in enumerate(means) if m is not None]
    ranges: list[tuple[int, int] | None] = [None] * len(sets)
    best, worst = dict.fromkeys(known, 1), dict.fromkeys(known, len(known))
    for at, i in enumerate(known):
        for j in known[at + 1 :]:
            if differ(means[i], means[j]):
                slow, fast = (i, j) if means[j].mean < means[i].mean else (j, i)
                best[slow] += 1
                worst[fast] -= 1
    for i in known:
        ranges[i] = (best[i], worst[i])
    return ranges
