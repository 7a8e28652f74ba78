"""One counter of energy, and what it has counted since a first reading."""

import math
from collections.abc import Callable
from dataclasses import dataclass

COUNTS = {"cray": "node", "rapl": "package", "nvml": "device", "amdsmi": "device"}  # what each source counts


@dataclass(frozen=True)
class Counter:
    """A counter of energy. `read` gives a number that only grows, in units of `joules`; it raises where it can't be
    read. A counter with `wraps_at`, in joules, begins again at 0 there. `limit_watts` is the most that what it counts
    may draw, as the machine itself says; None where it doesn't."""

    source: str  # cray, rapl, nvml, amdsmi
    scope: str  # what it counts, one of rules/energy.py's SCOPES
    device: str  # its name in its scope and node
    joules: float
    read: Callable[[], float]
    wraps_at: float | None = None
    limit_watts: float | None = None


class Total:
    """What a counter has counted since its first reading. Once it can't be read, or runs back though it doesn't wrap,
    there is no total any more, and `fault` says why: nothing is made up for what was missed."""

    def __init__(self, counter: Counter):
        self.counter, self.fault = counter, ""
        self.count = 0.0  # in the counter's units, which are mostly whole
        self.gap = 0.0  # the longest time between two readings, seconds
        self.before: float | None = None
        self.time = 0.0

    def read(self, now: float) -> None:
        """Another reading, at `now` in seconds of a clock that never runs back."""
        if self.fault:
            return
        try:
            value = self.counter.read()
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"found {value}, wanted a count of energy")
            if self.before is not None:
                self.count += self.step(value)
                self.gap = max(self.gap, now - self.time)
        except Exception as error:  # whatever a driver's library raises
            self.fault = reason(error)
            return
        self.before, self.time = value, now

    def step(self, value: float) -> float:
        """What was counted since the reading before. A counter that wraps is taken to have wrapped once."""
        step = value - self.before
        if step < 0 and self.counter.wraps_at is not None:
            step += self.counter.wraps_at / self.counter.joules
        if step < 0:
            raise ValueError(f"found {value} after {self.before}, wanted a counter that never runs back")
        return step

    @property
    def joules(self) -> float | None:
        """Joules since the first reading; None where a reading is missing."""
        return None if self.fault or self.before is None else self.count * self.counter.joules


def reason(error: BaseException) -> str:
    """Why something can't be read, in one short line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return (str(error).partition("\n")[0] or repr(error))[:200]
