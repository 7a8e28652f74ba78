"""Energy that was measured beside a run: power/<result_i>/{node,sw}_*.txt next to the logs (MLPerf's layout).

A node's file holds power_reading events in watts and may hold conversion_eff, a factor on all of them; a switch's file
holds one estimate, interconnect_power_est, that held throughout.
"""

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.log import BadLine, Event, read_log
from compliance.finding import show
from compliance.reading.log import Log
from compliance.reading.values import is_number

FOLDER = "power"
WATTS = {"node": "power_reading", "sw": "interconnect_power_est"}
SHOWN = 20  # faults of one file that are told
MOST_FILES = 100_000

Reading = tuple[int, float]  # milliseconds since 1970, watts


@dataclass(frozen=True)
class Instrument:
    """One instrument's log: its readings in the order of its lines, the factor on them, and what is wrong with it."""

    kind: str  # node or sw
    readings: tuple[Reading, ...]
    factor: float
    faults: tuple[tuple[int, str], ...]  # (line, what was found)


def is_power(parts: Sequence[str]) -> bool:
    """Whether a path inside a submission is an instrument's log."""
    return parts[0] == "results" and len(parts) > 3 and parts[-3] == FOLDER and _kind(parts[-1]) != ""


def _kind(name: str) -> str:
    return next((kind for kind in WATTS if name.startswith(f"{kind}_") and name.endswith(".txt")), "")


def read_instrument(path: Path) -> Instrument:
    """An instrument's log. Never raises."""
    kind = _kind(path.name) or "node"
    readings: list[Reading] = []
    factor, faults = 1.0, []
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


def joules(log: Log, file: Path, window: tuple[int, int]) -> float | None:
    """The energy of a run over its window of milliseconds: as its own log measured it, or else as the instruments of
    all nodes and switches beside it did. None where nothing was measured, or a node was not."""
    own = [(e.time_ms, _value(e.value)) for e in log.all("power_reading")]
    own = [(time, float(watts)) for time, watts in own if type(time) is int and is_number(watts)]
    if own:
        return energy(own, window)
    instruments = [read_instrument(path) for path in _files(file)]
    nodes = [(energy(i.readings, window), i.factor) for i in instruments if i.kind == "node"]
    if not nodes or any(found is None for found, _ in nodes):
        return None
    seconds = (window[1] - window[0]) / 1000
    switches = (i for i in instruments if i.kind == "sw" and i.readings)
    return sum(found * factor for found, factor in nodes) + sum(
        i.readings[-1][1] * i.factor * seconds for i in switches
    )


def energy(readings: Iterable[Reading], window: tuple[int, int]) -> float | None:
    """Joules over a window: each reading in watts times the time since the one before, clipped to the window.

    The last reading before the window only says when the first interval began. None without a reading inside.
    """
    total, before, inside = 0.0, window[0], False
    for time, watts in sorted(readings):
        until = min(time, window[1])
        if until > before:
            total += watts * (until - before) / 1000
            before, inside = until, True
        if time >= window[1]:
            break
    return total if inside else None


def _files(log: Path) -> list[Path]:
    """The instruments' logs of a run, by name; links are not followed."""
    folder = log.parent / FOLDER / log.stem
    if folder.parent.is_symlink() or folder.is_symlink():
        return []
    try:
        with os.scandir(folder) as entries:
            found = [e.name for e in itertools.islice(entries, MOST_FILES) if e.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(found) if _kind(name)]


def _value(value: object) -> object:
    """A number, bare or as MLPerf wraps it: {"value": number}."""
    return value.get("value") if type(value) is dict else value
