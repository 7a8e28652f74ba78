"""How long a run's epochs waited for data, as logged. Accelerator utilization is computed from this."""

from typing import NamedTuple

from compliance.reading.log import Log
from compliance.reading.series import Packed, known
from compliance.reading.timeline import epoch_of
from compliance.reading.values import is_number

LONGEST = 1e12  # seconds; measurements are below this


class Waited(NamedTuple):
    """The training of one epoch, in seconds: the time that rank 0 waited for batches, and the rest of its time; the
    mean wait of all ranks; the wait of the slowest rank of each step, summed. None is a value that the log lacks."""

    epoch: float | None
    wait: float
    compute: float
    mean: float | None
    slowest: float | None


class Waits(Packed[Waited]):
    """The epochs of a run, 40 bytes each."""

    @staticmethod
    def item(epoch: float, wait: float, compute: float, mean: float, slowest: float) -> Waited:
        return Waited(known(epoch), wait, compute, known(mean), known(slowest))


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


def _seconds(value: object) -> float | None:
    return float(value) if is_number(value) and 0 <= value < LONGEST else None
