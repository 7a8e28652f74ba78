"""How long a run's epochs waited for data, as logged. Accelerator utilization is computed from this."""

import math
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from compliance.reading.log import Log
from compliance.reading.timeline import epoch_of
from compliance.reading.values import is_number

MOST = 20_000  # epochs kept of a log
LONGEST = 1e12  # seconds; measurements are below this


class Waited(NamedTuple):
    """The training of one epoch, in seconds: the time that rank 0 waited for batches, and the rest of its time; the
    mean wait of all ranks; the wait of the slowest rank of each step, summed. None is a value that the log lacks."""

    epoch: float | None
    wait: float
    compute: float
    mean: float | None
    slowest: float | None


class Waits:
    """The epochs of a run, 40 bytes each."""

    def __init__(self, epochs: list[Waited]):
        self._numbers = array("d", [math.nan if n is None else n for epoch in epochs[:MOST] for n in epoch])

    def __len__(self) -> int:
        return len(self._numbers) // 5

    def __iter__(self) -> Iterator[Waited]:
        for at in range(0, len(self._numbers), 5):
            epoch, wait, compute, mean, slowest = self._numbers[at : at + 5]
            yield Waited(_known(epoch), wait, compute, _known(mean), _known(slowest))


def waits_of(log: Log) -> Waits:
    """Return the epochs whose `tracked_stats` give the seconds waited and computed."""
    found = []
    for event in log.all("tracked_stats"):
        stats = event.value if type(event.value) is dict else {}
        wait, compute = _seconds(stats.get("wait_seconds")), _seconds(stats.get("compute_seconds"))
        ranks = stats.get("wait_by_rank")
        mean, slowest = (_seconds(ranks.get(n)) if type(ranks) is dict else None for n in ("mean", "slowest"))
        if wait is not None and compute is not None and wait + compute > 0:
            epoch = epoch_of(event)
            found.append(Waited(float(epoch) if is_number(epoch) else None, wait, compute, mean, slowest))
    return Waits(found)


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _seconds(value: object) -> float | None:
    return float(value) if is_number(value) and 0 <= value < LONGEST else None
