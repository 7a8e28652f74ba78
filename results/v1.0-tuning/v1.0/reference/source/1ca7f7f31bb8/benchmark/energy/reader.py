"""Reads a node's counters when asked, and in between as often as they must be read, so that no wrap is missed."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmark.energy.counter import Counter, Total

WATTS = 2000  # no package draws as much: how soon a counter wraps
OFTEN = 4  # readings between two wraps, at least
LONGEST = 10.0  # seconds between readings
FROZEN = "frozen: it counted nothing"


class Reading(NamedTuple):
    """Joules of each counter since the first reading, None where there are none, at a time in milliseconds since 1970;
    `gap` is the longest time between two readings so far, in seconds, and `faults` says why joules are missing."""

    time_ms: int
    joules: list[float | None]
    gap: float
    faults: dict[int, str]


class Reader:
    """Reads counters. Only where one wraps does it have a thread, which reads all of them and sleeps."""

    def __init__(self, counters: Sequence[Counter], clock: Callable[[], float] = time.monotonic):
        self.totals = [Total(counter) for counter in counters]
        self.clock, self.lock, self.done = clock, threading.Lock(), threading.Event()
        wraps = [counter.wraps_at for counter in counters if counter.wraps_at is not None]
        self.interval = min([LONGEST, *(joules / WATTS / OFTEN for joules in wraps)]) if wraps else None
        self.thread: threading.Thread | None = None

    def start(self) -> Reading:
        """The first reading, from which joules count."""
        found = self.read()
        if self.interval is not None:
            self.thread = threading.Thread(target=self.watch, daemon=True, name="energy")
            self.thread.start()
        return found

    def watch(self) -> None:
        """Read until told to stop."""
        while not self.done.wait(self.interval):
            self.sample()

    def sample(self) -> None:
        """Read every counter once."""
        with self.lock:
            for total in self.totals:
                total.read(self.clock())

    def read(self) -> Reading:
        """What the counters say now."""
        self.sample()
        return self.said(round(time.time() * 1000))

    def said(self, time_ms: int) -> Reading:
        """What the counters said last, at that time."""
        with self.lock:
            faults = {i: total.fault for i, total in enumerate(self.totals) if total.fault}
            gap = max((total.gap for total in self.totals), default=0.0)
            return Reading(time_ms, [total.joules for total in self.totals], gap, faults)

    def stop(self) -> Reading:
        """The last reading. A counter that counted nothing all the time was not counting."""
        self.done.set()
        self.sample()
        time_ms = round(time.time() * 1000)
        for total in self.totals:
            if not total.fault and not total.count:
                total.fault = FROZEN
        if self.thread:
            self.thread.join(1.0)
        return self.said(time_ms)
