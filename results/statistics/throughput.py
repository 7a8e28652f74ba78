"""Throughput sets: many models trained at once; MLPerf HPC's (T, S, M, TTTa)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from results.runs.columns import Row


@dataclass(frozen=True)
class Throughput:
    """The throughput of a set. `total` is the units of the whole system (T), `instance` the units that
    trained one model (S), `models` the models that reached the target (M), and `seconds` the time from their first
    start to their last stop (TTTa).

    Some logs give the units of the whole system as a model's. Models that ran at once would then have had more units
    than the system: `instance` is None, `logged` what the logs say, and `most` the most that each can have had."""

    total: float | None
    instance: float | None
    models: int
    seconds: float
    logged: float | None = None
    most: float | None = None

    @property
    def models_per_hour(self) -> float:
        """M / TTTa, per hour."""
        return self.models * 3600 / self.seconds

    @property
    def most_unit_hours(self) -> float | None:
        """The most units times hours that a model can have taken on average: T x TTTa / M. None if T is unknown."""
        return None if self.total is None else self.total * self.seconds / 3600 / self.models


def throughput(models: Sequence[Row], total: float | None, instance: float | None) -> tuple[Throughput | None, str]:
    """(throughput of a set's models, why there is none); pruned models are not among `models`.

    Every model must reach the target; one that did not belongs among the pruned ones. A pruned model costs its share of
    the machine and counts for nothing.
    """
    failed = sum(not m.converged for m in models)
    if not models:
        return None, "no models"
    if failed:
        return None, f"{failed} of {len(models)} models did not converge, and are not among the pruned"
    windows = [m.run.window for m in models if m.run.window]
    seconds = (max(stop for _, stop in windows) - min(start for start, _ in windows)) / 1000
    most = total / at_once(windows) if total is not None else None
    if instance is None or most is None or instance <= most:
        return Throughput(total, instance, len(models), seconds), ""
    return Throughput(total, None, len(models), seconds, instance, most), ""


def at_once(windows: Sequence[tuple[int, int]]) -> int:
    """The most of these spans that share a moment; at least 1. A stop comes before a start at the same time."""
    changes = sorted((at, sign) for window in windows for at, sign in zip(window, (1, -1), strict=True))
    return max(1, *accumulate(sign for _, sign in changes))
