"""Reference convergence points: the epochs to the target that the reference's own runs took, at one batch size.

As MLPerf's (https://github.com/mlcommons/logging/tree/master/mlperf_logging/rcp_checker): a submission with the same
batch size is held against them. An edition holds the epochs of every run; what follows from them is computed here.
"""

import math
import statistics
from dataclasses import dataclass
from typing import Any

FEWEST_RUNS = 2  # a spread needs two


@dataclass(frozen=True)
class ReferencePoint:
    """Epochs to the target of the reference's runs at a batch size, in the order in which the edition has them."""

    batch: int
    epochs: tuple[float, ...]

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.epochs)

    @property
    def mean(self) -> float:
        """Mean epochs."""
        return math.fsum(self.epochs) / self.runs

    @property
    def deviation(self) -> float:
        """Their sample standard deviation, with n - 1."""
        return statistics.stdev(self.epochs)

    @property
    def variation(self) -> float:
        """Their coefficient of variation: deviation over mean."""
        return self.deviation / self.mean

    @property
    def fewest(self) -> float:
        """The epochs of the run that took the fewest."""
        return min(self.epochs)

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.epochs)

    @property
    def most(self) -> float:
        """The epochs of the run that took the most."""
        return max(self.epochs)


def reference_points(values: Any, where: str) -> dict[int, ReferencePoint]:
    """`reference_epochs` of a problem, {batch size: [epochs, ...]}, as points by batch size.

    Raises ValueError, opened by `where`, for what is no batch size, too few runs, or no positive finite number.
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
