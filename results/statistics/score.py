"""The statistics of one set of runs: figure of merit and interval, median, spread.

Pure functions over run times in seconds. The time of a run that did not converge is `math.inf`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from results.statistics.student import t_quantile
from rules.merit import figure_of_merit, least_runs, trim_count

LEVEL = 0.95  # the confidence level of every interval in this package
FEWEST = 5  # runs that an interval of a trimmed mean needs
SLOW = 1.5  # times the median: with 10 % of spread, one run in 10^6 takes so long; a typical fault doubles the time


@dataclass(frozen=True)
class TrimmedMean:
    """A trimmed mean of `n` values with `k` dropped from each end, and its interval.

    `standard_error`, `low`, `high` and the `degrees` of freedom are None if they cannot be estimated. `widened`: the
    interval is that of half a step between evaluations, since the values differ by less.
    """

    n: int
    k: int
    mean: float
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    degrees: int | None = None
    widened: bool = False

    @property
    def half(self) -> float | None:
        """How far the interval reaches above the mean, half its width unless 0 cuts it off below; None without one."""
        return None if self.high is None else self.high - self.mean


def trimmed_mean(values: Sequence[float], step: float = 0.0) -> TrimmedMean | None:
    """The mean without the k smallest and k largest values, with Tukey and McLaughlin's interval (1963).

    The standard error is sqrt(SSW / (h (h - 1))), where SSW is the sum of squares of the winsorized values about their
    mean and h = n - 2k. The interval is Student's with h - 1 degrees of freedom, from FEWEST values on. Values are
    multiples of `step`, the seconds between evaluations, so their deviation is taken as a sixth of a step at least.
    They are times or energies, so the interval ends at 0. Returns None if no value, or an infinite one, is left.
    """
    n, k = len(values), trim_count(len(values))
    mean = figure_of_merit(values)
    if mean is None or n < FEWEST:
        return None if mean is None else TrimmedMean(n, k, mean)
    ordered, h = sorted(values), n - 2 * k
    bare, squares = (winsorized_squares(ordered, k, floor) for floor in (0.0, step / 6))
    error = math.sqrt(squares / (h * (h - 1)))
    half = t_quantile((1 + LEVEL) / 2, h - 1) * error
    return TrimmedMean(n, k, mean, error, max(0.0, mean - half), mean + half, h - 1, squares > bare)


def winsorized_squares(ordered: Sequence[float], k: int, least: float) -> float:
    """The sum of squared deviations after the k extremes at each end are replaced by their next neighbour.

    It is at least what a standard deviation of `least` gives: runs end at evaluations, and a few that agree by chance
    do not show that all do.
    """
    kept = list(ordered[k : len(ordered) - k])
    values = [kept[0]] * k + kept + [kept[-1]] * k
    mean = math.fsum(values) / len(values)
    return max(math.fsum((v - mean) ** 2 for v in values), (len(values) - 1) * least**2)


@dataclass(frozen=True)
class Score:
    """The score of a set of runs. `fom` is the figure of merit in seconds, or None, and `why` then says why."""

    n: int
    converged: int
    required: int
    k: int
    fom: float | None
    why: str | None
    trimmed: TrimmedMean | None


def score(times: Sequence[float], required: int | None = None, step: float = 0.0) -> Score:
    """The score of a set of runs that took `times` seconds, `math.inf` for a run that did not converge.

    `required` is the number of runs that the rules want, None if no rule is known. `step` is the seconds between
    evaluations, 0 if unknown. Raises ValueError for a time that is no positive number.
    """
    if any(math.isnan(t) or t <= 0 for t in times):
        raise ValueError(f"found run times {list(times)}, wanted positive seconds, or infinity where not converged")
    n, k = len(times), trim_count(len(times))
    wanted = max(required or 0, least_runs())
    failed = sum(map(math.isinf, times))
    why = None
    if n < wanted:
        why = f"too few runs: found {n}, wanted {wanted}: {wanted - n} more would give a score"
    elif failed > k:
        why = f"{failed} of {n} runs did not converge: at most {k} may be dropped as the slowest"
    mean = trimmed_mean(times, step) if why is None else None
    fom = mean.mean if mean else None
    return Score(n, n - failed, wanted, k, fom, why, mean)


@dataclass(frozen=True)
class Spread:
    """Coefficients of variation (sample standard deviation over mean) of the seconds and epochs of converged runs."""

    time: float
    epochs: float


def spread(times: Sequence[float], epochs: Sequence[float]) -> Spread | None:
    """The spread of runs that took `times` seconds and `epochs` epochs; None below 2 converged runs."""
    pairs = [(t, e) for t, e in zip(times, epochs, strict=True) if math.isfinite(t) and e > 0]
    return (
        None if len(pairs) < 2 else Spread(*(deviation(column) / fmean(column) for column in zip(*pairs, strict=True)))
    )


def harmonic(rates: Sequence[float]) -> tuple[float | None, float | None]:
    """(harmonic mean of rates, its deviation). The deviation is the gain in rate from one standard deviation less time.

    (None, None) unless all rates are positive. The deviation is None for a single rate, and for times whose standard
    deviation is not below their mean.
    """
    times = [1 / r for r in rates if r > 0]
    if not times or len(times) != len(rates):
        return None, None
    average = 1 / fmean(times)
    if len(times) < 2:
        return average, None
    faster = fmean(times) - deviation(times)
    return average, 1 / faster - average if faster > 0 else None


def deviation(values: Sequence[float]) -> float:
    """The sample standard deviation (n - 1), with the same bits in every Python. It is 0 for equal values, whose mean
    may differ from them by a rounding."""
    if min(values) == max(values):
        return 0.0
    mean = fmean(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))


def slow_runs(seconds: Sequence[float]) -> list[tuple[int, float]]:
    """(index, seconds over the median) of each run that took at least SLOW times the median of the converged runs, the
    slowest first. [] below three converged runs: two do not show which of them is unusual."""
    known = [s for s in seconds if math.isfinite(s)]
    if len(known) < 3:
        return []
    usual = median(known)
    found = [(i, s / usual) for i, s in enumerate(seconds) if math.isfinite(s) and s >= SLOW * usual]
    return sorted(found, key=lambda run: -run[1])
