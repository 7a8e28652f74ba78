"""PWR: energy, where a submission gives it: power/<result_i>/{node,sw}_*.txt beside the logs (MLPerf's layout)."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmark.log import BadLine, Event, read_log
from compliance.discover import Entry
from compliance.finding import Fault, show
from compliance.material import Material
from compliance.rule import rule
from compliance.run import is_number

WATTS = {"node": "power_reading", "sw": "interconnect_power_est"}
SHOWN = 20  # faults of one file that are told


@dataclass(frozen=True)
class PowerLog:
    """One instrument's log: when it read first and last (milliseconds), how often, and what is wrong with it."""

    entry: Entry
    first: int | None
    last: int | None
    readings: int
    faults: tuple[tuple[int, str], ...]

    @property
    def result(self) -> tuple[str, ...]:
        """The path of the log of the run that it belongs to."""
        at = self.entry.parts.index("power")
        return (*self.entry.parts[:at], f"{self.entry.parts[at + 1]}.txt")


@rule("PWR01", "submission", after=("TREE05",))
def power_is_read(material: Material) -> Iterator[Fault]:
    """A power log holds readings: finite, non-negative watts at times that never run back"""
    for log in power_logs(material):
        place = material.submission.place(*log.entry.parts)
        for line, found in log.faults:
            yield Fault(line, found, "finite, non-negative watts in the order of time", path=place)
        if not log.readings and not log.faults:
            yield Fault(1, "no reading", "one or more", path=place)


@rule("PWR02", "submission", after=("PWR01", "TREE05"))
def power_covers_the_run(material: Material) -> Iterator[Fault]:
    """The readings of a node cover its run, from run_start to run_stop"""
    runs = {run.path: run for run in material.runs}
    for log in power_logs(material):
        run = runs.get(material.submission.place(*log.result))
        place = material.submission.place(*log.entry.parts)
        if run is None:
            yield Fault(1, f"no {'/'.join(log.result)}", "the log of the run that was measured", path=place)
        elif log.entry.parts[-1].startswith("node") and None not in (run.start_ms, run.stop_ms):
            late, early = (log.first - run.start_ms) / 1000, (run.stop_ms - log.last) / 1000
            if max(late, early) > 0:
                found = f"first reading {late:.3f} s after run_start, last {early:.3f} s before run_stop"
                yield Fault(1, found, "readings from run_start to run_stop", path=place)


def power_logs(material: Material) -> list[PowerLog]:
    """The instruments' logs of a submission."""
    return [_read(material, e) for e in material.submission.entries if e.kind == "file" and _is_power(e)]


def _is_power(entry: Entry) -> bool:
    parts = entry.parts
    return parts[0] == "results" and parts[-3:-2] == ("power",) and parts[-1].startswith(("node", "sw"))


def _read(material: Material, entry: Entry) -> PowerLog:
    wanted = WATTS["node" if entry.parts[-1].startswith("node") else "sw"]
    first, last, readings, faults = None, None, 0, []
    try:
        for item in read_log(material.submission.path.joinpath(*entry.parts)):
            if len(faults) >= SHOWN:
                break
            if type(item) is BadLine:
                faults.append((item.line, item.reason))
            if type(item) is not Event or item.key != wanted:
                continue
            readings += 1
            if not is_number(item.value) or item.value < 0:
                faults.append((item.line, f"{wanted} {show(item.value)}"))
            elif type(item.time_ms) is not int or (last is not None and item.time_ms < last):
                faults.append((item.line, f"time_ms {show(item.time_ms)} after {last}"))
            else:
                first, last = item.time_ms if first is None else first, item.time_ms
    except OSError as error:
        faults.append((1, error.strerror or str(error)))
    return PowerLog(entry, first, last, readings, tuple(faults))
