"""Trials of the input (`io_trial.py`): how fast data was read in each format from each place, as logged."""

from typing import Any, NamedTuple

from benchmark.log import Event
from compliance.reading.log import Log
from compliance.reading.timeline import metadata
from compliance.reading.values import fields, is_number

MOST = 100  # trials that are kept of a log
LONGEST = 60  # characters of a name


class Tried(NamedTuple):
    """All passes over one format at one place. `rate` is in samples a second. `au` is DLIO's accelerator utilization,
    averaged over ranks; `ceiling` is that of the loop without reads, `least` the AU that passes. Waits are in seconds,
    bytes are totals over ranks, `over_memory` those of the files over the nodes' memory, `staging` bytes a second of
    staging until all was on disk. None is a value that the log lacks."""

    line: int
    emulate: str
    format: str
    place: str
    cache: str
    rate: float | None
    seconds: float | None
    au: float | None
    ceiling: float | None
    au_waiting: float | None
    au_barrier: float | None
    logical: float | None
    read: float | None
    physical: float | None
    p99: float | None
    longest: float | None
    over_memory: float | None
    staging: float | None
    least: float | None

    @property
    def verdict(self) -> str:
        """Whether the AU is as wanted; "-" if nothing is wanted of it."""
        return "-" if self.least is None else "pass" if self.au is not None and self.au >= self.least else "fail"

    def speed(self, size: float | None) -> float | None:
        """Return `size` bytes over the trial's time in MB/s (10^6 bytes)."""
        return size / self.seconds / 1e6 if size is not None and self.seconds else None


def trials_of(log: Log) -> tuple[Tried, ...]:
    """Return the trials of a log in order, at most `MOST`."""
    setup = log.value("io_setup")
    return tuple(_tried(event, setup if type(setup) is dict else {}) for event in log.all("io_trial")[:MOST])


def _tried(event: Event, setup: dict[str, Any]) -> Tried:
    value = event.value if type(event.value) is dict else {}
    p99, longest = fields(value.get("wait_seconds"), "p99", "longest")
    return Tried(
        event.line,
        _text(setup.get("emulate")),
        _text(metadata(event, "format")),
        _text(metadata(event, "place")),
        _text(value.get("cache")),
        _number(value.get("throughput")),
        _number(value.get("seconds")),
        _number(*fields(value.get("au"), "mean")),
        _number(setup.get("null_au")),
        _number(value.get("au_waiting")),
        _number(value.get("au_barrier")),
        _number(*fields(value.get("logical_bytes"), "total")),
        _number(*fields(value.get("read_bytes"), "total")),
        _number(*fields(value.get("physical_bytes"), "total")),
        _number(p99),
        _number(longest),
        _number(value.get("dataset_over_memory")),
        _rate(setup.get("staging")) if metadata(event, "place") == "staged" else None,
        _number(setup.get("least_au")),
    )


def _rate(staging: Any) -> float | None:
    size, seconds = map(_number, fields(staging, "bytes", "synced_seconds"))
    return size / seconds if size is not None and seconds else None


def _number(value: Any) -> float | None:
    return float(value) if is_number(value) and value >= 0 else None


def _text(value: Any) -> str:
    return value[:LONGEST] if type(value) is str else "-"
