"""Reference convergence points: the epochs to the target that the reference's runs took at one batch size.

They are modelled on MLPerf's (https://github.com/mlcommons/logging/tree/master/mlperf_logging/rcp_checker): submissions
of the same batch size are compared with them. An edition has the epochs of every run; statistics are computed here.

A number that isn't whole says where the score crossed the target, on a straight line between two evaluations: 4.31 is
five epochs. Whole numbers alone say nothing of what is between evaluations.
"""

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FEWEST_RUNS = 2  # a spread needs two


@dataclass(frozen=True)
class ReferencePoint:
    """Where the reference's runs at one batch size crossed the target, in epochs, in the order of the edition."""

    batch: int
    crossings: tuple[float, ...]

    @property
    def epochs(self) -> tuple[float, ...]:
        """The epochs that the runs took: they end at the evaluation after the crossing."""
        return tuple(map(float, map(math.ceil, self.crossings)))

    @property
    def between(self) -> bool:
        """Whether the edition says where between evaluations the runs crossed."""
        return self.crossings != self.epochs

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.crossings)

    @property
    def mean(self) -> float:
        """The mean of the epochs."""
        return math.fsum(self.epochs) / self.runs

    @property
    def deviation(self) -> float:
        """Their sample standard deviation (n - 1)."""
        return statistics.stdev(self.epochs)

    @property
    def median(self) -> float:
        """The median of the epochs."""
        return statistics.median(self.epochs)


def neighbours(points: Mapping[int, object], batch: float) -> dict[int, float]:
    """{batch size: weight} of the points that a batch size is compared with: its own, or the next smaller and the next
    larger, between which a straight line is drawn. {} outside of all points."""
    if batch in points:
        return {int(batch): 1.0}
    smaller, larger = [b for b in points if b < batch], [b for b in points if b > batch]
    if not smaller or not larger:
        return {}
    low, high = max(smaller), min(larger)
    weight = (batch - low) / (high - low)
    return {low: 1 - weight, high: weight}


def crossing(before: tuple[float, float], after: tuple[float, float], target: float) -> float:
    """The epoch at which a straight line through two evaluations (epoch, score), of which the later one met the target,
    crosses it."""
    (start, low), (end, high) = before, after
    return end if high == low else start + (target - low) / (high - low) * (end - start)


def reference_points(values: Any, where: str) -> dict[int, ReferencePoint]:
    """Parse `reference_epochs` of a problem, {batch size: [epochs, ...]}, into points by batch size.

    Raises ValueError, which begins with `where`, for an invalid batch size or number of epochs, or too few runs.
    """
    if not isinstance(values, dict):
        raise ValueError(f"{where}: found {values!r}, wanted batch sizes with the epochs of runs")
    return {batch: _point(batch, epochs, where) for batch, epochs in values.items()}


def _point(batch: Any, epochs: Any, where: str) -> ReferencePoint:
    if type(batch) is not int or batch < 1:
        raise ValueError(f"{where}: found {batch!r}, wanted a batch size of 1 or more")
    where = f"{where}.{batch}"
    if not isinstance(epochs, list):
        raise ValueError(f"{where}: found {epochs!r}, wanted a list of epochs")
    for value in epochs:
        if type(value) not in (int, float) or not math.isfinite(value) or value <= 0:
            raise ValueError(f"{where}: found {value!r}, wanted a positive number of epochs")
    if len(epochs) < FEWEST_RUNS:
        raise ValueError(f"{where}: found {len(epochs)} runs, wanted {FEWEST_RUNS} or more")
    return ReferencePoint(batch, tuple(map(float, epochs)))
