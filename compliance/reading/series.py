"""Series of numbers of a run, packed, so that a round of a hundred thousand logs fits into memory."""

import math
from array import array
from collections.abc import Sequence
from typing import NamedTuple, overload

MOST = 20_000  # evaluations, and spans of a kind, kept of one log

Span = tuple[int, int]  # [start, stop) in milliseconds since 1970


class Evaluation(NamedTuple):
    """A score inside the run. `epoch` and `step` as logged, None if they are no numbers."""

    line: int
    time_ms: int
    epoch: float | None
    step: float | None
    value: float


class Evaluations(Sequence[Evaluation]):
    """Evaluations, 40 bytes each. The first MOST are kept."""

    def __init__(self, items: Sequence[Evaluation]):
        self._numbers = array("d", [math.nan if n is None else n for item in items[:MOST] for n in item])

    def __len__(self) -> int:
        return len(self._numbers) // 5

    @property
    def curve(self) -> list[tuple[int, float]]:
        """(line, score) of each evaluation."""
        return list(zip(map(int, self._numbers[0::5]), self._numbers[4::5], strict=True))

    @overload
    def __getitem__(self, at: int) -> Evaluation: ...
    @overload
    def __getitem__(self, at: slice) -> list[Evaluation]: ...
    def __getitem__(self, at: int | slice) -> Evaluation | list[Evaluation]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        at = at + len(self) if at < 0 else at
        if not 0 <= at < len(self):
            raise IndexError(at)
        line, time, epoch, step, value = self._numbers[5 * at : 5 * at + 5]
        return Evaluation(int(line), int(time), *(None if n != n else n for n in (epoch, step)), value)


class Spans(Sequence[Span]):
    """Spans of time, 16 bytes each. The first MOST are kept."""

    def __init__(self, items: Sequence[Span]):
        self._numbers = array("q", [n for item in items[:MOST] for n in item])

    def __len__(self) -> int:
        return len(self._numbers) // 2

    def __getitem__(self, at: int) -> Span:  # type: ignore[override]
        at = at + len(self) if at < 0 else at
        if not 0 <= at < len(self):
            raise IndexError(at)
        return self._numbers[2 * at], self._numbers[2 * at + 1]
