"""Series of numbers of a run, packed, so that a round of a hundred thousand logs fits into memory; and the numbers from
which an evaluation's score is computed: counts of voxels by class, or sums by output."""

import math
from array import array
from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import Any, NamedTuple, TypeVar

from benchmark.log import Event
from benchmark.metric import Counts
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import epoch_of, metadata
from compliance.reading.values import fields, is_number

EXACT = 12  # characters of a number that was not rounded, such as 0.1234567890
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

    def __init__(self, items: Sequence[tuple[Any, ...]]):
        self._numbers = array(self.code, [math.nan if n is None else n for item in items[:MOST] for n in item])

    def __len__(self) -> int:
        return len(self._numbers) // self.width

    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        start = self.width * range(len(self))[at]
        return self.item(*self._numbers[start : start + self.width])

    def __iter__(self) -> Iterator[T]:
        numbers = iter(self._numbers)
        return starmap(self.item, zip(*[numbers] * self.width, strict=True))

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


def figures_of(log: Log) -> tuple[tuple[int, float], ...]:
    """Return (line, number) of the figures of a log's epochs that were not rounded, such as its throughput."""
    return tuple(
        (event.line, number)
        for event in log.all("tracked_stats")[:MOST]
        if type(event.value) is dict
        for number in event.value.values()
        if type(number) is float and len(repr(number)) >= EXACT
    )


def waits_of(log: Log) -> Waits:
    """Return the epochs whose `tracked_stats` give the seconds waited and computed."""
    found = []
    for event in log.all("tracked_stats"):
        *own, ranks = fields(event.value, "wait_seconds", "compute_seconds", "wait_by_rank")
        wait, compute, mean, slowest = map(_seconds, (*own, *fields(ranks, "mean", "slowest")))
        if wait is not None and compute is not None and wait + compute > 0:
            epoch = epoch_of(event)
            found.append(Waited(float(epoch) if is_number(epoch) else None, wait, compute, mean, slowest))
    return Waits(found)


def _seconds(value: object) -> float | None:
    return float(value) if is_number(value) and 0 <= value < LONGEST else None


Row = tuple[int, float | None, tuple[float, ...]]  # line, epoch and numbers of an evaluation
COUNTS = ("intersection", "predicted", "true")
MOST_CLASSES = 64  # the numbers of more classes are not kept


def counts_of(event: Event) -> Counts | None:
    """Return the counts that an evaluation logged; None unless they are three lists of integers of one length."""
    lists = [metadata(event, name) for name in COUNTS]
    if not all(type(v) is list and all(type(n) is int and 0 <= n < 1 << 62 for n in v) for v in lists):
        return None
    if len({len(v) for v in lists}) != 1 or len(lists[0]) < 2:
        return None
    return Counts(*(tuple(v) for v in lists))


def sums_of(event: Event) -> list[float] | None:
    """Return the sums by output that an evaluation logged; None unless they are a list of finite numbers."""
    sums = metadata(event, "sums")
    return sums if type(sums) is list and sums and all(is_number(v) for v in sums) else None


def rows_of(event: Event, samples: int, classes: int | None) -> list[list[list[int]]] | None:
    """Return the counts of each sample that an evaluation logged: hits, predicted and true voxels by foreground class;
    None unless there are so many samples of so many classes."""
    rows = metadata(event, "counts")
    if type(rows) is not list or len(rows) != samples:
        return None
    for row in rows:
        if type(row) is not list or len(row) != classes:
            return None
        if not all(
            type(c) is list and len(c) == 3 and all(type(n) is int and 0 <= n < 1 << 62 for n in c) for c in row
        ):
            return None
    return rows


def numbers_of(event: Event, terms: Terms) -> tuple[float, ...]:
    """Return the numbers by which evaluations are compared: hits and predicted voxels of each foreground class, or the
    sums; () if there are none."""
    if terms.problem is None:
        return ()
    found: tuple[float, ...] = ()
    if terms.benchmark.score == "dice":
        counts = counts_of(event)
        found = (*counts.intersection[1:], *counts.predicted[1:]) if counts else ()
    elif terms.benchmark.score == "mean":
        sums = tuple(sums_of(event) or ())
        found = sums if terms.problem.outputs in (None, len(sums)) else ()
    return tuple(map(float, found)) if len(found) <= 2 * MOST_CLASSES else ()


class Numbers(Packed[Row]):
    """The numbers by which the evaluations of a run are compared. At most `most` rows are kept, and only those as wide
    as the first."""

    def __init__(self, rows: Sequence[Row], most: int):
        self.width = 2 + len(rows[0][2]) if rows else 2
        alike = [(line, epoch, *found) for line, epoch, found in rows if len(found) + 2 == self.width]
        super().__init__(alike[:most])

    @property
    def kept(self) -> int:
        """The bytes that the numbers take."""
        return 8 * len(self._numbers)

    @staticmethod
    def item(line: float, epoch: float, *found: float) -> Row:
        return int(line), known(epoch), found
