"""Energy from power meters beside a run: power/<result_i>/{node,sw}_*.txt next to the logs (MLPerf's layout).

A node's file has power_reading events in watts, and may have conversion_eff, a factor on all of them. A switch's file
has one estimate for the whole run, interconnect_power_est.
"""

import os
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import NamedTuple

from benchmark.log import BadLine, Event, read_log
from compliance.finding import show
from compliance.reading.energy import METER, Energy
from compliance.reading.log import Log
from compliance.reading.values import is_number, total

FOLDER = "power"
WATTS = {"node": "power_reading", "sw": "interconnect_power_est"}
SHOWN = 20  # faults of one file that are reported
MOST_FILES = 100_000
EXACT = 1 << 53  # times are below this, in milliseconds

Reading = tuple[int, float]  # milliseconds since 1970, watts


@dataclass(frozen=True)
class Instrument:
    """One instrument's log: its readings in the order of lines, the factor on them, and its faults."""

    kind: str  # node or sw
    readings: tuple[Reading, ...]
    factor: float
    faults: tuple[tuple[int, str], ...]  # (line, what was found)


class Reach(NamedTuple):
    """The times of the first and the last of an instrument's readings, and the longest time between two readings that
    is inside the run, in milliseconds. `line` has the first reading."""

    line: int
    first: int
    last: int
    gap: int


def is_power(parts: Sequence[str]) -> bool:
    """Return whether a path inside a submission is an instrument's log."""
    return parts[0] == "results" and len(parts) > 3 and parts[-3] == FOLDER and _kind(parts[-1]) != ""


def _kind(name: str) -> str:
    return next((kind for kind in WATTS if name.startswith(f"{kind}_") and name.endswith(".txt")), "")


def read_instrument(path: Path) -> Instrument:
    """Read an instrument's log. Never raises: what is wrong is in `faults`."""
    kind = _kind(path.name) or "node"
    readings: list[Reading] = []
    faults: list[tuple[int, str]] = []
    factor = 1.0
    try:
        for item in read_log(path):
            if len(faults) >= SHOWN:
                break
            if type(item) is BadLine:
                faults.append((item.line, item.reason))
            if type(item) is not Event:
                continue
            value = _value(item.value)
            if item.key == "conversion_eff" and is_number(value):
                factor = float(value)
            if item.key != WATTS[kind]:
                continue
            if not is_number(value) or value < 0:
                faults.append((item.line, f"{item.key} {show(item.value)}"))
            elif type(item.time_ms) is not int or (readings and item.time_ms < readings[-1][0]):
                before = readings[-1][0] if readings else None
                faults.append((item.line, f"time_ms {show(item.time_ms)} after {before}"))
            else:
                readings.append((item.time_ms, float(value)))
    except OSError as error:
        faults.append((1, error.strerror or str(error)))
    return Instrument(kind, tuple(readings), factor, tuple(faults))


def metered(
    log: Log, file: Path, window: tuple[int, int], spans: Mapping[str, Iterable[tuple[int, int]]]
) -> Energy | None:
    """Return the energy of a run over its window (milliseconds), and over its spans of the kinds epoch and eval.

    It comes from power readings in the run's own log, or else from the instruments beside it. Return None if there are
    none, or those of a node don't reach into the window. The parts are None if evaluations overlap epochs.
    """
    own = own_readings(log)
    instruments = [Instrument("node", own, 1.0, ())] if own else list(map(read_instrument, instruments_of(file)))
    nodes = [(i.factor, Power(i.readings)) for i in instruments if i.kind == "node"]
    if not nodes or not all(power.within(*window) for _, power in nodes):
        return None
    switches = total(i.readings[-1][1] * i.factor for i in instruments if i.kind == "sw" and i.readings)

    def over(some: Iterable[tuple[int, int]]) -> float:
        inside = [(max(a, window[0]), min(b, window[1])) for a, b in some]
        inside = [(a, b) for a, b in inside if b > a]
        seconds = sum(b - a for a, b in inside) / 1000
        return total(f * total(p.joules(a, b) for a, b in inside) for f, p in nodes) + switches * seconds

    epochs, evaluations = list(spans["epoch"]), list(spans["eval"])
    apart = all(stop <= start for (_, stop), (start, _) in pairwise(sorted(epochs + evaluations)))
    parts = (over(epochs), over(evaluations)) if apart else (None, None)
    return Energy(METER, over([window]), *parts)


def own_readings(log: Log) -> tuple[Reading, ...]:
    """Return the power readings in a run's own log."""
    said = [(e.time_ms, _value(e.value)) for e in log.all(WATTS["node"])]
    return tuple((time, float(watts)) for time, watts in said if type(time) is int and is_number(watts))


def reach_of(readings: Sequence[Reading], window: tuple[int, int], line: int = 1) -> Reach | None:
    """Return which times readings tell of, None without readings. `window` is that of the run."""
    start, stop = window
    times = sorted(time for time, _ in readings)
    gaps = (min(after, stop) - max(before, start) for before, after in pairwise(times))
    return Reach(line, times[0], times[-1], max(gaps, default=0)) if times else None


class Power:
    """Power over time, from readings of watts. A reading holds from the one before it to itself."""

    def __init__(self, readings: Iterable[Reading]):
        ordered = sorted(reading for reading in readings if abs(reading[0]) < EXACT)
        self.times, self.watts = [time for time, _ in ordered], [watts for _, watts in ordered]
        steps = (w * (b - a) / 1000 for w, (a, b) in zip(self.watts[1:], pairwise(self.times), strict=True))
        self.sums = [0.0, *accumulate(steps)] if ordered else []  # joules since the first reading

    def within(self, start: int, stop: int) -> bool:
        """Return whether there is a reading after `start`, so that it covers some of the time up to `stop`."""
        return stop > start and bool(self.times) and self.times[-1] > start

    def joules(self, start: int, stop: int) -> float:
        """Return the joules between two times in milliseconds. The first reading also holds before it; after the last
        there is no power."""
        return self.until(stop) - self.until(start)

    def until(self, time: int) -> float:
        """Return the joules since the first reading; negative before it."""
        at = bisect_left(self.times, time)
        if at == len(self.times):
            return self.sums[-1]
        return self.sums[at] - self.watts[at] * (self.times[at] - time) / 1000


def instruments_of(log: Path) -> list[Path]:
    """Return the instruments' logs of a run, sorted by name. No link is followed."""
    home = os.path.join(os.path.dirname(log), FOLDER)
    folder = Path(home, log.stem) if os.path.isdir(home) else None
    if folder is None or os.path.islink(home) or folder.is_symlink():
        return []
    try:
        with os.scandir(folder) as entries:
            found = [e.name for e in islice(entries, MOST_FILES) if e.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(found) if _kind(name)]


def _value(value: object) -> object:
    """Return the number in a plain value, or in MLPerf's form {"value": number}."""
    return value.get("value") if type(value) is dict else value
