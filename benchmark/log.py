"""The log format: the only module that reads or writes it.

A log is text; its events are the lines that hold the token `:::MLLOG` followed by one JSON object
with namespace, time_ms, event_type, key, value and metadata (mlperf-logging's format). The reader
never raises on a bad line: bad lines are facts that rules report.
"""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

TOKEN = ":::MLLOG"
ROOT = Path(__file__).resolve().parents[1]


class Event(NamedTuple):
    """One event. `line` counts from 1; `time_ms` is milliseconds since the Unix epoch."""

    line: int
    time_ms: Any
    event_type: Any
    key: Any
    value: Any
    metadata: Any


class BadLine(NamedTuple):
    """A line that holds the token but no event, and why not."""

    line: int
    reason: str


def read_log(path: Path) -> Iterator[Event | BadLine]:
    """The events and bad lines of a log, streaming. Raises OSError only when the file cannot be read."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file, 1):
            if TOKEN in text:
                yield parse_line(number, text)


def parse_line(number: int, text: str) -> Event | BadLine:
    """The event in one line of text, or what is wrong with it."""
    try:
        fields = json.loads(text[text.index(TOKEN) + len(TOKEN) :])
    except (ValueError, RecursionError) as error:
        return BadLine(number, f"not JSON: {str(error)[:200]}")
    if not isinstance(fields, dict):
        return BadLine(number, f"found a JSON {type(fields).__name__}, wanted an object")
    for name in ("time_ms", "key"):
        if name not in fields:
            return BadLine(number, f"the event has no {name!r}")
    get = fields.get
    return Event(number, fields["time_ms"], get("event_type"), fields["key"], get("value"), get("metadata"))


class LogWriter:
    """Writes one run's log through mlperf_logging. With `path` None it writes nothing (ranks above 0).

    Every event goes to the file at once, so that an interrupted run leaves a readable log.
    """

    def __init__(self, path: Path | None):
        self._logger = None
        if path is None:
            return
        from mlperf_logging.mllog.mllog import MLLogger  # the judge reads logs without this package installed

        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(path, mode="w", encoding="utf-8")
        backend = logging.Logger(f"mllog:{path}", logging.INFO)  # not in the global registry: one log, one logger
        backend.addHandler(handler)
        # The caller to be named is the one who calls event(), start() or end() below.
        self._logger = MLLogger(backend, default_stack_offset=2, root_dir=re.escape(str(ROOT)))

    def event(self, key: str, value: Any = None, **metadata: Any) -> None:
        """A point in time."""
        if self._logger:
            self._logger.event(key, value, metadata)

    def start(self, key: str, value: Any = None, **metadata: Any) -> None:
        """The start of an interval (`..._start` keys)."""
        if self._logger:
            self._logger.start(key, value, metadata)

    def end(self, key: str, value: Any = None, **metadata: Any) -> None:
        """The end of an interval (`..._stop` keys)."""
        if self._logger:
            self._logger.end(key, value, metadata)

    def close(self) -> None:
        """Flush and close the file."""
        if self._logger:
            for handler in self._logger.logger.handlers:
                handler.close()
