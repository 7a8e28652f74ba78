"""The numbers from which an evaluation's score is computed, as logged: counts of voxels by class, or sums by output."""

import math
from array import array
from collections.abc import Iterator, Sequence

from benchmark.log import Event
from benchmark.metric import Counts
from compliance.reading.terms import Terms
from compliance.reading.timeline import metadata
from compliance.reading.values import is_number

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


class Numbers:
    """The numbers by which the evaluations of a run are compared, packed at 8 bytes each. At most `most` rows are kept,
    and only those as wide as the first."""

    def __init__(self, rows: Sequence[Row], most: int):
        self.width = len(rows[0][2]) if rows else 0
        alike = [row for row in rows if len(row[2]) == self.width][:most] if self.width else []
        flat = (n for line, epoch, found in alike for n in (line, math.nan if epoch is None else epoch, *found))
        self._packed = array("d", flat)

    @property
    def kept(self) -> int:
        """The bytes that the numbers take."""
        return 8 * len(self._packed)

    def __iter__(self) -> Iterator[Row]:
        size = self.width + 2
        for at in range(0, len(self._packed), size):
            line, epoch, *found = self._packed[at : at + size]
            yield int(line), None if math.isnan(epoch) else epoch, tuple(found)
