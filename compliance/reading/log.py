"""Read one log in one pass and in bounded memory: its events by key, and whatever is odd in it."""

import itertools
import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from benchmark.log import TOKEN, TOKEN_BYTES, BadLine, Event, open_regular, read_log
from compliance.reading.values import is_number
from rules.edition import Edition

MOST_EVENTS = 100_000  # events that are kept; a log with more cannot be judged
MOST_BYTES = 256 << 20  # bytes that one event may count for
SMALL = 16 << 20  # bytes of a log below which the size of events does not count: they all fit
MOST_KEYS = 500  # keys unknown to the rules, of each of which the first event is kept
SHOWN = 100  # bad lines and backward steps that are kept
EARLIEST = -(1 << 62)  # milliseconds: no log has a time so long before 1970
EVERY = 4096  # events and lines between two looks at the clock
KEY = re.compile(rb'"key"\s*:\s*"(\w{1,100})"')
LONGEST_LINE = 1 << 20  # bytes of a bad line that are searched for its key

STRUCTURE = (
    "init_start", "init_stop", "run_start", "run_stop", "staging_start", "staging_stop",
    "epoch_start", "epoch_stop", "block_start", "block_stop", "eval_start", "eval_stop",
    "eval_accuracy", "eval_error", "tracked_stats", "throughput", "dataset_fingerprint", "resumed", "source",
    "power_reading", "energy_sources", "energy_reading", "seed", "submission_benchmark", "problem",
)  # fmt: skip
SERIES = ("eval_loss", "learning_rate", "train_loss", "train_accuracy", "train_error", "target_accuracy_reached")


class Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The JSON object of a line that is as mlperf_logging writes it."""

    namespace: Any
    time_ms: Any
    event_type: Any
    key: str
    value: Any
    metadata: Any


DECODE = msgspec.json.Decoder(Line).decode  # raises at NaN, infinities, lone surrogates, which Python's parser accepts


def plain_event(number: int, text: str) -> Event | None:
    """Return the event of a line that begins with the token, or None if the line has to be looked at more closely. A
    name that is given twice shows by a colon too many."""
    try:
        line = DECODE(text[len(TOKEN) :])
    except (ValueError, RecursionError):
        return None
    value, metadata, time_ms = line.value, line.metadata, line.time_ms
    names = len(Line.__struct_fields__)
    if type(metadata) is dict:
        names += len(metadata)
    if type(value) is dict:
        names += len(value)
    if time_ms is None or text.count(":", len(TOKEN)) > names:
        return None
    return Event(number, time_ms, line.event_type, line.key, value, metadata)


@dataclass
class Log:
    """One log. `events` holds the events of the keys that rules know, by key and in order; `others` holds the first
    event of every other key."""

    path: str
    events: dict[str, list[Event]] = field(default_factory=dict)
    others: dict[str, Event] = field(default_factory=dict)
    bad: list[BadLine] = field(default_factory=list)
    bad_count: int = 0
    named: dict[int, str] = field(default_factory=dict)  # number of a bad line -> the one key that it still names
    odd: dict[str, list[int]] = field(default_factory=dict)  # kind -> [count, first line]
    back: list[tuple[int, int, str]] = field(default_factory=list)  # (line, ms back, key); the largest is among them
    back_ms: int = 0  # by which time runs back from one event to the next, in all
    not_time: list[Event] = field(default_factory=list)
    count: int = 0
    last_line: int = 1
    size: int = 0
    overflow: int = 0  # the line from which nothing more was kept, or 0
    unreadable: str = ""
    memo: dict[str, Any] = field(default_factory=dict)  # values computed from the log, cached for all checks

    @property
    def lost(self) -> frozenset[str] | None:
        """The keys of the bad lines; None if one names no key, and so may be of any."""
        whole = self.bad_count == len(self.bad) and all(bad.line in self.named for bad in self.bad)
        return frozenset(self.named.values()) if whole else None

    def all(self, key: str) -> list[Event]:
        """Return the events of a key, in order."""
        return self.events.get(key, [])

    def first(self, key: str) -> Event | None:
        """Return the first event of a key, or None."""
        events = self.events.get(key)
        return events[0] if events else None

    def value(self, key: str) -> Any:
        """Return the value of the first event of a key, or None."""
        events = self.events.get(key)
        return events[0].value if events else None

    def line(self, key: str) -> int:
        """Return the line of the first event of a key, or 1."""
        events = self.events.get(key)
        return events[0].line if events else 1


def times_of(log: Log) -> Iterator[int]:
    """Yield the times of the events that are kept, in milliseconds."""
    return (e.time_ms for events in log.events.values() for e in events if type(e.time_ms) is int)


def known_keys(edition: Edition) -> frozenset[str]:
    """Return the keys that some rule of the edition reads."""
    metrics = (benchmark.metric for benchmark in edition.benchmarks.values())
    return frozenset(STRUCTURE).union(metrics, *edition.keys.values())


def gather_log(path: Path, name: str, edition: Edition, seconds: float = math.inf) -> Log:
    """Read the log at `path`, which findings call `name`. Never raises: `unreadable` says why a file can't be read, or
    that it takes more than so many seconds.

    If the edition says that several ranks write into one log, events that all ranks logged become one.
    """
    log = Log(name)
    try:
        log.size = path.stat().st_size
        _gather(log, path, known_keys(edition), time.monotonic() + seconds)
        log.named = _named(path, {bad.line for bad in log.bad})
    except OSError as error:
        log.unreadable = error.strerror or str(error)
    if edition.limits.many_ranks:
        merge_ranks(log, edition.limits.rank_spread * 1000)
    return log


def merge_ranks(log: Log, spread: float) -> None:
    """Merge events of one key that several ranks logged with equal value and metadata. The first of them stays; of
    run_stop the last, since a run ends when all its ranks have. They follow each other within `spread` milliseconds;
    settings may come at any time."""
    dropped: set[int] = set()
    for key, events in log.events.items():
        if len(events) > 1:
            within = spread if key in STRUCTURE else math.inf
            log.events[key] = kept = _merged(events, within, last=key == "run_stop")
            if len(kept) < len(events):
                dropped |= {e.line for e in events} - {e.line for e in kept}
    if dropped:
        log.back = _steps_back(log)


def _steps_back(log: Log) -> list[tuple[int, int, str]]:
    """Return (line, milliseconds back, key) of each kept event whose time is before that of an earlier line."""
    kept = sorted(
        (e.line, e.time_ms, e.key) for events in log.events.values() for e in events if type(e.time_ms) is int
    )
    back: list[tuple[int, int, str]] = []
    last = EARLIEST
    for line, time_ms, key in kept:
        if time_ms < last:
            _note_back(back, (line, last - time_ms, key))
        last = max(last, time_ms)
    return back


def _note_back(back: list[tuple[int, int, str]], step: tuple[int, int, str]) -> None:
    """Keep a step back: the first SHOWN, the last of which gives way to a larger one."""
    if len(back) < SHOWN:
        back.append(step)
    elif step[1] > back[-1][1]:
        back[-1] = step


def _merged(events: list[Event], spread: float, last: bool) -> list[Event]:
    """Return the events without those that repeat the one before."""
    kept = events[:1]
    for before, event in itertools.pairwise(events):
        near = _is_near(before, event, spread)  # the quickest question first
        if not (near and event.value == kept[-1].value and _same(event.metadata, kept[-1].metadata)):
            kept.append(event)
        elif last:
            kept[-1] = event
    return kept


def _is_near(before: Event, event: Event, spread: float) -> bool:
    """Return whether at most `spread` milliseconds are between two events."""
    one, other = before.time_ms, event.time_ms
    return is_number(one) and is_number(other) and abs(other - one) <= spread


def _same(a: Any, b: Any) -> bool:
    """Return whether the metadata of two events is equal apart from the place in the program that logged them."""
    if a == b or type(a) is not dict or type(b) is not dict:
        return bool(a == b)
    if a.get("lineno") == b.get("lineno") and a.get("file") == b.get("file"):
        return False
    return {**a, "lineno": 0, "file": ""} == {**b, "lineno": 0, "file": ""}


def _gather(log: Log, path: Path, known: frozenset[str], until: float) -> None:
    events: dict[str, list[Event]] = {key: [] for key in known}
    others, last, before, count, item = log.others, EARLIEST, EARLIEST, 0, None
    room, heavy = MOST_EVENTS, log.size > SMALL
    for number, item in enumerate(read_log(path, plain_event)):
        if not number % EVERY and time.monotonic() > until:
            log.unreadable = "reading it took too long"
            break
        if type(item) is not Event:
            _note(log, item)
            continue
        count += 1
        kept = events.get(item.key)
        if kept is not None:
            if room > 0:
                kept.append(item)
                room -= 1
                if heavy:
                    room -= _weight(item)
            elif not log.overflow:
                log.overflow = item.line
        elif item.key not in others and len(others) < MOST_KEYS and item.key not in SERIES:
            others[item.key] = item
        time_ms = item.time_ms
        if type(time_ms) is not int:
            if len(log.not_time) < SHOWN:
                log.not_time.append(item)
        else:
            log.back_ms += max(before - time_ms, 0)
            before = time_ms
            if time_ms >= last:
                last = time_ms
            else:
                _note_back(log.back, (item.line, last - time_ms, item.key))
    log.events = {key: kept for key, kept in events.items() if kept}
    log.count = count
    log.last_line = item.line if item else 1


def _named(path: Path, lines: set[int]) -> dict[int, str]:
    """Return number of a line -> its key, of those among `lines` that are of one event and still name its key."""
    if not lines:
        return {}
    found: dict[int, str] = {}
    number, last = 1, max(lines)
    with open_regular(path) as file:
        while number <= last and (text := file.readline(LONGEST_LINE)):
            keys = KEY.findall(text) if number in lines else []
            if len(keys) == 1 and text.count(TOKEN_BYTES) == 1 and text.endswith(b"\n"):
                found[number] = keys[0].decode()
            number += text.endswith(b"\n")
    return found


def _weight(event: Event) -> int:
    """Return the size of an event beyond a plain one, in units of plain events (about 1 KiB each)."""
    return min(size_of(event.value) + size_of(event.metadata), MOST_BYTES) >> 10


def size_of(value: Any, depth: int = 6) -> int:
    """Return roughly the bytes that a value takes. Values nested deeper than `depth` are not counted."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return 8 * len(value) + (sum(size_of(v, depth - 1) for v in value) if depth else 0) + 64
    if isinstance(value, dict):
        return 100 * len(value) + (sum(size_of(v, depth - 1) for v in value.values()) if depth else 0) + 64
    return 32


def _note(log: Log, item: Any) -> None:
    if type(item) is BadLine:
        log.bad_count += 1
        if len(log.bad) < SHOWN:
            log.bad.append(item)
    elif item.kind in log.odd:
        log.odd[item.kind][0] += 1
    else:
        log.odd[item.kind] = [1, item.line]
