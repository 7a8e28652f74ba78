"""One run, read from one log: what happened when, and on which line it says so.

Everything that the record knows of a run comes through `read_run`. It reads every layout of MLPerf HPC (v0.7
to v3.0) as well as ours: intervals are told by key and not by `event_type`, evaluations may lie inside
epochs or after them, be several to an epoch, and log their value before or after they end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmark.log import Event, read_log
from results.intervals import Span

# The metric of a benchmark, by the key that logs it: whether larger is better.
METRICS = {"eval_accuracy": True, "eval_error": False}
# Keys that come again and again, and are no description of the run.
SERIES = {
    *METRICS,
    *("eval_loss", "tracked_stats", "throughput", "learning_rate", "train_loss", "train_accuracy", "train_error"),
    *("power_reading", "dataset_fingerprint", "target_accuracy_reached"),
}
LARGEST = 2**63  # numbers beyond it, infinities and NaN are no measurements
MOST_FACTS = 500  # a log is a stranger's: what it can make us keep has a bound
INTERVALS = ("staging", "epoch", "eval")


class Mark(NamedTuple):
    """A moment: the line that logs it, counted from 1, and milliseconds since the Unix epoch."""

    line: int
    time_ms: int


class Fact(NamedTuple):
    """A value and the line it stands on."""

    line: int
    value: Any


class Evaluation(NamedTuple):
    """One value of the metric. `epoch` and `step` as logged, None where they are not."""

    line: int
    time_ms: int
    epoch: float | None
    step: float | None
    value: float


class Reading(NamedTuple):
    """Electric power in watts, at a moment."""

    time_ms: int
    watts: float


@dataclass(frozen=True)
class Run:
    """A log's content. `epochs`, `evals` and `staging` are spans of time in milliseconds; one without an end is
    closed where the next of its kind begins, or at `run_stop`; `lines` has the last line that opened or closed one of
    each kind. `faults` say what could not be read."""

    path: Path
    facts: dict[str, Fact]
    start: Mark | None
    stop: Mark | None
    status: str | None
    metric: str | None
    evaluations: tuple[Evaluation, ...]
    epochs: tuple[Span, ...]
    evals: tuple[Span, ...]
    staging: tuple[Span, ...]
    first_epoch: float | None
    lines: dict[str, int]
    stats: tuple[Fact, ...]
    readings: tuple[Reading, ...]
    faults: tuple[str, ...] = ()
    measured: Fact | None = None  # what a log that measures throughput alone says of it

    def value(self, key: str, default: Any = None) -> Any:
        """A fact's value."""
        fact = self.facts.get(key)
        return default if fact is None or fact.value is None else fact.value

    def line(self, key: str) -> int | None:
        """A fact's line."""
        fact = self.facts.get(key)
        return None if fact is None else fact.line

    @property
    def throughput_only(self) -> bool:
        """Whether the log measures throughput alone, and trains to no target."""
        return self.value("throughput_only") is True

    @property
    def window(self) -> Span | None:
        """The timed span; None unless the run has a start and a later stop."""
        if self.start is None or self.stop is None or self.stop.time_ms <= self.start.time_ms:
            return None
        return (self.start.time_ms, self.stop.time_ms)


@dataclass
class Reader:
    """What has been read so far of one log."""

    facts: dict[str, Fact] = field(default_factory=dict)
    starts: list[Mark] = field(default_factory=list)
    stops: list[Mark] = field(default_factory=list)
    status: str | None = None
    values: dict[str, list[Evaluation]] = field(default_factory=lambda: {key: [] for key in METRICS})
    spans: dict[str, list[Span]] = field(default_factory=lambda: {kind: [] for kind in INTERVALS})
    opened: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(INTERVALS))
    first_epoch: float | None = None
    lines: dict[str, int] = field(default_factory=dict)
    stats: list[Fact] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    measured: Fact | None = None

    def take(self, event: object) -> None:
        """One event; a bad line, or a time that is none, is the judge's to report and not an event here."""
        if not isinstance(event, Event) or not isinstance(event.key, str):
            return
        time = whole(event.time_ms)
        if time is None:
            return
        key = event.key
        kind, _, edge = key.rpartition("_")
        if key == "run_start":
            self.starts.append(Mark(event.line, time))
        elif key == "run_stop":
            self.stops.append(Mark(event.line, time))
            self.status = text(metadata(event, "status"))
        elif kind in self.spans and edge in ("start", "stop"):
            self.edge(kind, edge, time, event)
        elif key in METRICS:
            self.evaluation(event, time)
        elif key == "tracked_stats" and isinstance(event.value, dict):
            self.stats.append(Fact(event.line, event.value))
        elif key == "throughput" and isinstance(event.value, dict):
            self.measured = Fact(event.line, event.value)
        elif key == "power_reading":
            watts = number(event.value.get("value") if isinstance(event.value, dict) else event.value)
            if watts is not None:
                self.readings.append(Reading(time, watts))
        elif key not in SERIES and not key.endswith(("_start", "_stop")) and len(self.facts) < MOST_FACTS:
            self.facts.setdefault(key, Fact(event.line, event.value))

    def edge(self, kind: str, edge: str, time: int, event: Event) -> None:
        """The start or the end of an interval."""
        since = self.opened[kind]
        self.lines[kind] = event.line
        if since is not None:
            self.spans[kind].append((since, time))
        self.opened[kind] = time if edge == "start" else None
        if kind == "epoch" and edge == "start" and self.first_epoch is None:
            self.first_epoch = number(metadata(event, "epoch_num"))

    def evaluation(self, event: Event, time: int) -> None:
        """One value of the metric. What is no number counts as not evaluated."""
        value = number(event.value)
        if value is None:
            self.faults.append(f"line {event.line}: {event.key} is {short(event.value)}, wanted a finite number")
            return
        epoch, step = (number(metadata(event, name)) for name in ("epoch_num", "step_num"))
        self.values[event.key].append(Evaluation(event.line, time, epoch, step, value))

    def finish(self, path: Path) -> Run:
        start = self.starts[0] if self.starts else None
        stop = self.stops[-1] if self.stops else None
        faults = list(self.faults)
        for name, marks in (("run_start", self.starts), ("run_stop", self.stops)):
            if len(marks) != 1:
                faults.append(f"found {len(marks)} {name} events, wanted 1")
        if start and stop and stop.time_ms <= start.time_ms:
            faults.append(f"run_stop (line {stop.line}) is not later than run_start (line {start.line})")
        metric = max(METRICS, key=lambda key: len(self.values[key]))
        if not self.values[metric]:
            metric = None
        for kind, since in self.opened.items():
            if since is not None and stop is not None:
                self.spans[kind].append((since, stop.time_ms))
        return Run(
            path=path,
            facts=self.facts,
            start=start,
            stop=stop,
            status=self.status,
            metric=metric,
            evaluations=tuple(self.values[metric]) if metric else (),
            epochs=tuple(self.spans["epoch"]),
            evals=tuple(self.spans["eval"]),
            staging=tuple(self.spans["staging"]),
            first_epoch=self.first_epoch,
            lines=self.lines,
            stats=tuple(self.stats),
            readings=tuple(self.readings),
            faults=tuple(faults),
            measured=self.measured,
        )


def read_run(path: Path, events: Iterable[object] | None = None) -> Run:
    """The run in a log. Never raises: a file that cannot be read is a run without events, and a fault says so."""
    reader = Reader()
    try:
        for event in read_log(path) if events is None else events:
            reader.take(event)
    except OSError as error:
        return replace(Reader().finish(Path(path)), faults=(f"cannot be read: {error.strerror or error}",))
    return reader.finish(Path(path))


def metadata(event: Event, name: str) -> Any:
    return event.metadata.get(name) if isinstance(event.metadata, dict) else None


def number(value: Any) -> float | int | None:
    """A finite number as it stands; None of anything else (a bool is no number)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -LARGEST < value < LARGEST else None


def whole(value: Any) -> int | None:
    """Milliseconds as an integer."""
    value = number(value)
    return None if value is None else round(value)


def text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def short(value: Any) -> str:
    """A value for a message, never long."""
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
