"""Accelerator utilization (AU): the share of training in which a rank did not wait for data.

An epoch's AU is its seconds without waiting over all its seconds; a run's is the same over its epochs together. It is
of what each rank waited itself: of rank 0, or the mean of all ranks where the log says so. "With the barrier" it is of
what the slowest rank of each step waited, as the others wait for that one in the step. Evaluations are not in it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from compliance.reading.run import Run
from compliance.reading.waiting import Waited


@dataclass(frozen=True)
class Utilization:
    """AU of a run, from 0 to 1: of all epochs, of the first, of those after it (None where there are none), and of all
    with the barrier (None where the log does not say)."""

    whole: float
    first: float
    later: float | None
    barrier: float | None


def utilization(run: Run) -> Utilization | None:
    """AU of a run; None where its log does not say how long it waited."""
    epochs = list(run.waits)
    if not epochs or run.throughput_only:
        return None
    alone = run.value("number_of_ranks") == 1
    slowest = [own(e) if e.slowest is None and alone else e.slowest for e in epochs]
    known = None not in slowest
    return Utilization(
        share(epochs, map(own, epochs)),
        share(epochs[:1], map(own, epochs[:1])),
        share(epochs[1:], map(own, epochs[1:])) if len(epochs) > 1 else None,
        share(epochs, slowest) if known else None,
    )


def by_epoch(runs: Iterable[Run], most: int = 50) -> dict[int, float]:
    """AU of each epoch, the mean over runs, of the first `most` epochs that any has."""
    found: dict[int, list[float]] = {}
    for run in runs:
        for e in [] if run.throughput_only else run.waits:
            if e.epoch is not None and e.epoch.is_integer():
                found.setdefault(int(e.epoch), []).append(share([e], [own(e)]))
    return {epoch: sum(found[epoch]) / len(found[epoch]) for epoch in sorted(found)[:most]}


def own(epoch: Waited) -> float:
    """Seconds that a rank waited: their mean over ranks, or else rank 0's."""
    return epoch.wait if epoch.mean is None else epoch.mean


def share(epochs: Iterable[Waited], waits: Iterable[float]) -> float:
    """The share of the epochs' time that is left when the waits are taken out, 0 where they are more than all."""
    return max(0.0, 1 - sum(waits) / sum(e.wait + e.compute for e in epochs))
