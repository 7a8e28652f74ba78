"""The energy that a counter has counted since a first reading."""

import math

from benchmark.energy.counter import Counter, reason


class Total:
    """The energy that a counter has counted since its first reading. If a reading fails, or the counter decreases
    though it does not wrap, there is no total any more, and `fault` says why. Nothing is estimated."""

    def __init__(self, counter: Counter):
        self.counter, self.fault = counter, ""
        self.count = 0.0  # in the counter's units, which are mostly whole
        self.gap = 0.0  # the longest time between two readings, seconds
        self.before: float | None = None
        self.time = 0.0

    def read(self, now: float) -> None:
        """Take another reading, at `now` in seconds of a monotonic clock."""
        if self.fault:
            return
        try:
            value = self.counter.read()
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"found {value}, wanted a count of energy")
            if self.before is not None:
                self.count += self.step(self.before, value)
                self.gap = max(self.gap, now - self.time)
        except Exception as error:  # whatever a driver's library raises
            self.fault = reason(error)
            return
        self.before, self.time = value, now

    def step(self, before: float, value: float) -> float:
        """Return the count between two readings, in the counter's units. A counter that wraps is assumed to have
        wrapped once. Raises ValueError if it ran back."""
        step = value - before
        if step < 0 and self.counter.wraps_at is not None:
            step += self.counter.wraps_at / self.counter.joules
        if step < 0:
            raise ValueError(f"found {value} after {before}, wanted a counter that never runs back")
        return step

    @property
    def joules(self) -> float | None:
        """Joules since the first reading; None where a reading is missing."""
        return None if self.fault or self.before is None else self.count * self.counter.joules
