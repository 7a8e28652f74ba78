"""Throughput (weak scaling): many models trained at once; MLPerf HPC's (T, S, M, TTTa)."""

from collections.abc import Sequence
from dataclasses import dataclass

from results.tables.columns import Row


@dataclass(frozen=True)
class Throughput:
    """The throughput of a weak-scaling set. `total` is the units of the whole system (T), `instance` the units that
    trained one model (S), `models` the models that reached the target (M), and `seconds` the time from their first
    start to their last stop (TTTa)."""

    total: float | None
    instance: float | None
    models: int
    seconds: float

    @property
    def models_per_hour(self) -> float:
        """M / TTTa, per hour."""
        return self.models * 3600 / self.seconds


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
    seconds = (max(m.stop_ms for m in models) - min(m.start_ms for m in models)) / 1000
    return Throughput(total, instance, len(models), seconds), ""
