"""What one log says, gathered in one pass and in bounded memory: all that the checks look at."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.log import BadLine, Event, read_log
from rules.edition import Benchmark, Edition, Key, Published

MOST_EVENTS = 100_000  # kept of one log; a log with more cannot be judged
MOST_BYTES = 256 << 20  # of their text, roughly
LARGEST = 1 << 1000  # of integers that count as numbers
SMALL = 16 << 20  # bytes of a log whose events needn't be weighed: it all fits
MOST_KEYS = 10_000
EXACT_IN_JSON = 1 << 53  # beyond this other languages' JSON readers round, so that some log a string
SHOWN = 100  # bad lines and backward steps kept

STRUCTURE = (
    "init_start", "init_stop", "run_start", "run_stop", "staging_start", "staging_stop",
    "epoch_start", "epoch_stop", "block_start", "block_stop", "eval_start", "eval_stop",
    "eval_accuracy", "eval_error", "tracked_stats", "dataset_fingerprint", "resumed",
)  # fmt: skip


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that a float can hold: `true` is not 1."""
    if type(value) is int:
        return -LARGEST < value < LARGEST
    return type(value) is float and math.isfinite(value)


def seed_of(value: object) -> int | None:
    """A logged seed as an integer, or None. Text of digits counts: JSON readers round beyond 2^53."""
    if type(value) is int and 0 <= value < LARGEST:
        return value
    if type(value) is float and value.is_integer() and 0 <= value < EXACT_IN_JSON:
        return int(value)
    if type(value) is str and value.strip().isascii() and value.strip().isdigit() and len(value) < 100:
        return int(value)
    return None


@dataclass
class Run:
    """One log, read. `events` holds, by key and in order, the events of the keys that rules know."""

    path: str
    events: dict[str, list[Event]] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    bad: list[BadLine] = field(default_factory=list)
    bad_count: int = 0
    odd: dict[str, list[int]] = field(default_factory=dict)  # kind -> [count, first line]
    back: list[tuple[int, int, str]] = field(default_factory=list)  # (line, ms back, key)
    not_time: list[Event] = field(default_factory=list)
    count: int = 0
    last_line: int = 1
    size: int = 0
    overflow: int = 0  # the line from which nothing more was kept, or 0
    unreadable: str = ""

    def all(self, key: str) -> list[Event]:
        """The events of a key, in order."""
        return self.events.get(key, [])

    def first(self, key: str) -> Event | None:
        """The first event of a key."""
        events = self.events.get(key)
        return events[0] if events else None

    def value(self, key: str) -> Any:
        """The value of the first event of a key, or None."""
        events = self.events.get(key)
        return events[0].value if events else None

    def line(self, key: str) -> int:
        """The line of the first event of a key, or 1."""
        events = self.events.get(key)
        return events[0].line if events else 1


@dataclass(frozen=True)
class Law:
    """What judges one log: the edition, and the benchmark and problem that the log (or its folder) names."""

    edition: Edition
    benchmark_name: str
    benchmark: Benchmark | None
    keys: dict[str, Key]
    problem: Published | None
    division: str
    folder_benchmark: str = ""  # what the log's folder says it is; "" where the log was given alone
    throughput_only: bool = False  # whether the log is no run, and says so

    @property
    def codes(self) -> frozenset[str]:
        """The rules that judge the log."""
        return self.edition.throughput_codes if self.throughput_only else self.edition.codes

    @property
    def target(self) -> float | None:
        """The score to reach."""
        if self.benchmark and self.benchmark.target is not None:
            return self.benchmark.target
        return self.problem.target if self.problem else None

    @property
    def metric(self) -> str:
        """The key of the score."""
        return self.benchmark.metric if self.benchmark else "eval_accuracy"


def known_keys(edition: Edition) -> frozenset[str]:
    """The keys that some rule of the edition looks at."""
    return frozenset(STRUCTURE).union(*edition.keys.values(), ["seed", "submission_benchmark", "problem"])


def read_run(path: Path, name: str, known: frozenset[str]) -> Run:
    """The log at `path`, which findings call `name`. Never raises: what could not be read is a fact."""
    run = Run(name)
    try:
        run.size = path.stat().st_size
        _gather(run, path, known)
    except OSError as error:
        run.unreadable = error.strerror or str(error)
    return run


def _gather(run: Run, path: Path, known: frozenset[str]) -> None:
    events: dict[str, list[Event]] = {key: [] for key in known}
    unknown, last, count, item = run.unknown, -(1 << 62), 0, None
    room, heavy = MOST_EVENTS, run.size > SMALL
    for item in read_log(path):
        if type(item) is not Event:
            _note(run, item)
            continue
        count += 1
        kept = events.get(item.key)
        if kept is not None:
            if room > 0:
                kept.append(item)
                room -= 1
                if heavy:
                    room -= _weight(item)
            elif not run.overflow:
                run.overflow = item.line
        elif item.key in unknown or len(unknown) < MOST_KEYS:
            unknown[item.key] = unknown.get(item.key, 0) + 1
        time_ms = item.time_ms
        if type(time_ms) is not int:
            if len(run.not_time) < SHOWN:
                run.not_time.append(item)
        elif time_ms >= last:
            last = time_ms
        elif len(run.back) < SHOWN:
            run.back.append((item.line, last - time_ms, item.key))
    run.events = {key: kept for key, kept in events.items() if kept}
    run.count = count
    run.last_line = item.line if item else 1


def _weight(event: Event) -> int:
    """What an event takes beyond a plain one, in units of plain events (about 1 KiB each)."""
    return min(_size(event.value, 6) + _size(event.metadata, 6), MOST_BYTES) >> 10


def _size(value: Any, depth: int) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return 8 * len(value) + (sum(_size(v, depth - 1) for v in value) if depth else 0) + 64
    if isinstance(value, dict):
        return 100 * len(value) + (sum(_size(v, depth - 1) for v in value.values()) if depth else 0) + 64
    return 32


def _note(run: Run, item: Any) -> None:
    if type(item) is BadLine:
        run.bad_count += 1
        if len(run.bad) < SHOWN:
            run.bad.append(item)
    elif item.kind in run.odd:
        run.odd[item.kind][0] += 1
    else:
        run.odd[item.kind] = [1, item.line]
