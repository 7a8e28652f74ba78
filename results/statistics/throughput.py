"""Throughput (weak scaling): many models trained at once; MLPerf HPC's (T, S, M, TTTa)."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Throughput:
    """`total`: units of the whole system (T); `instance`: units that trained one model (S); `models`: models that
    reached the target and count (M); `seconds`: from the first start to the last stop among them (TTTa)."""

    total: float | None
    instance: float | None
    models: int
    seconds: float

    @property
    def models_per_hour(self) -> float:
        return self.models * 3600 / self.seconds


@dataclass(frozen=True)
class Model:
    """One instance: its timed span in milliseconds, and whether it reached the target."""

    start: int
    stop: int
    converged: bool


def throughput(models: Sequence[Model], total: float | None, instance: float | None) -> tuple[Throughput | None, str]:
    """The throughput of a set's unpruned instances, and why there is none.

    Every unpruned model has to reach the target: what didn't belongs among the pruned ones. A pruned model costs
    its share of the machine and earns nothing.
    """
    failed = sum(not m.converged for m in models)
    if not models:
        return None, "no models"
    if failed:
        return None, f"{failed} of {len(models)} models did not converge, and are not among the pruned"
    seconds = (max(m.stop for m in models) - min(m.start for m in models)) / 1000
    return Throughput(total, instance, len(models), seconds), ""
