"""Series of numbers of a run, packed, so that a round of a hundred thousand logs fits into memory."""

import math
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from compliance.reading.log import Log
from compliance.reading.timeline import epoch_of
from compliance.reading.values import is_number

LONGEST = 1e12  # seconds that an epoch waited or computed; measurements are below this
MOST = 20_000  # evaluations, epochs, and spans of a kind, kept of one log

T = TypeVar("T", bound=tuple[Any, ...])
Span = tuple[int, int]  # [start, stop) in milliseconds since 1970


class Evaluation(NamedTuple):
    """A score inside the run. `epoch` and `step` as logged, None if they are no numbers."""

    line: int
    time_ms: int
    epoch: float | None
    step: float | None
    value: float


class Packed(Sequence[T]):
    """Tuples of `width` numbers, 8 bytes each. The first MOST are kept. In a series of floats, NaN stands for None."""

    code, width = "d", 5

    def __init__(self, items: Sequence[T]):
        self._numbers = array(self.code, [math.nan if n is None else n for item in items[:MOST] for n in item])

    def __len__(self) -> int:
        return len(self._numbers) // self.width

    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        start = self.width * range(len(self))[at]
        return self.item(*self._numbers[start : start + self.width])

    @staticmethod
    def item(*numbers: Any) -> Any:
        """Return an item from its numbers."""
        return numbers


class Evaluations(Packed[Evaluation]):
    """Evaluations, 40 bytes each."""

    @property
    def curve(self) -> list[tuple[int, float]]:
        """(line, score) of each evaluation."""
        return list(zip(map(int, self._numbers[0::5]), self._numbers[4::5], strict=True))

    @staticmethod
    def item(line: float, time: float, epoch: float, step: float, value: float) -> Evaluation:
        return Evaluation(int(line), int(time), known(epoch), known(step), value)


class Spans(Packed[Span]):
    """Spans of time, 16 bytes each."""

    code, width = "q", 2


def known(number: float) -> float | None:
    """Return a number, None for NaN."""
    return None if math.isnan(number) else number


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
