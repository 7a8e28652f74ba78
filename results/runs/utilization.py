"""Accelerator utilization (AU): the share of training in which a rank did not wait for data.

The AU of an epoch is the share of its seconds in which a rank did not wait; the AU of a run is that of all its epochs
together. The wait is the mean over ranks, or rank 0's where the log has no mean. "With the barrier" the wait is that of
the slowest rank of each step, for which the others wait in the step. Evaluations do not count.
"""

import math
from collections.abc import Iterable

from compliance.reading.run import Run
from compliance.reading.series import Waited


def utilization(run: Run) -> dict[str, float | None]:
    """The AU of a run, from 0 to 1, by column: of all epochs, of the first, of the later ones (None without any), and
    of all epochs with the barrier (None if it was not logged). {} if its log has no waiting times."""
    epochs = list(run.waits)
    if not epochs or run.throughput_only:
        return {}
    alone = run.value("number_of_ranks") == 1
    slowest = [own(e) if e.slowest is None and alone else e.slowest for e in epochs]
    known = [wait for wait in slowest if wait is not None]
    return {
        "au": share(epochs, map(own, epochs)),
        "au_first": share(epochs[:1], map(own, epochs[:1])),
        "au_later": share(epochs[1:], map(own, epochs[1:])) if len(epochs) > 1 else None,
        "au_barrier": share(epochs, known) if len(known) == len(epochs) else None,
    }


def own(epoch: Waited) -> float:
    """The seconds that a rank waited in an epoch: the mean over ranks, or else rank 0's."""
    return epoch.wait if epoch.mean is None else epoch.mean


def share(epochs: Iterable[Waited], waits: Iterable[float]) -> float:
    """The share of the epochs' time that is not waiting; 0 if the waits exceed the time."""
    return max(0.0, 1 - math.fsum(waits) / math.fsum(e.wait + e.compute for e in epochs))
