"""Energy that was measured beside a run: power/<result_i>/{node,sw}_*.txt next to the logs (MLPerf's layout).

A node's file holds power_reading events in watts and may hold conversion_eff, a factor on all of them; a switch's
file holds one estimate, interconnect_power_est, that held throughout.
"""

from pathlib import Path

from benchmark.log import Event, read_log
from results.outcome import energy
from results.run import Reading, Run, number, whole

MOST_FILES = 100_000


def measured_energy(run: Run) -> float | None:
    """Joules over a run's timed span, all nodes and switches; None where nothing was measured, or a node was not."""
    folder = run.path.parent / "power" / run.path.stem
    if run.window is None or not folder.is_dir() or folder.is_symlink():
        return None
    nodes = [node_energy(path, run.window) for path in files(folder, "node_*.txt")]
    if not nodes or None in nodes:
        return None
    seconds = (run.window[1] - run.window[0]) / 1000
    return sum(nodes) + sum(switch_power(path) * seconds for path in files(folder, "sw_*.txt"))


def files(folder: Path, pattern: str) -> list[Path]:
    return [p for p in sorted(folder.glob(pattern))[:MOST_FILES] if p.is_file() and not p.is_symlink()]


def node_energy(path: Path, window: tuple[int, int]) -> float | None:
    """Joules of one node over a window in milliseconds."""
    readings, factor = [], 1.0
    for event in read_log(path):
        if not isinstance(event, Event):
            continue
        time, value = whole(event.time_ms), reading(event.value)
        if time is None or value is None:
            continue
        if event.key == "power_reading":
            readings.append(Reading(time, value))
        elif event.key == "conversion_eff":
            factor = value
    joules = energy(readings, window)
    return None if joules is None else joules * factor


def switch_power(path: Path) -> float:
    """Watts of one switch."""
    watts, factor = 0.0, 1.0
    for event in read_log(path):
        if not isinstance(event, Event) or reading(event.value) is None:
            continue
        if event.key == "interconnect_power_est":
            watts = reading(event.value)
        elif event.key == "conversion_eff":
            factor = reading(event.value)
    return watts * factor


def reading(value: object) -> float | None:
    """A number, bare or as MLPerf wraps it: {"value": number}."""
    return number(value.get("value") if isinstance(value, dict) else value)
