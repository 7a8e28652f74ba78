"""The log format: the only module that reads or writes it.

A log is text; its events are what follows the token `:::MLLOG`: one JSON object with namespace,
time_ms, event_type, key, value and metadata (mlperf-logging's format). The reader never raises on a
bad line: bad lines and oddities are facts that rules report. It holds one block of the file at a time.
"""

import json
import logging
import os
import re
import stat
import sys
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

TOKEN = ":::MLLOG"
TOKEN_BYTES = TOKEN.encode()
ROOT = Path(__file__).resolve().parents[1]
BLOCK = 1 << 20  # bytes read at a time
LONGEST = 1 << 20  # bytes of a line that are looked at; an event in a longer one is a bad line


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


class Oddity(NamedTuple):
    """Text that can be read but shouldn't be there: `kind` is one of ODDITIES."""

    line: int
    kind: str


ODDITIES = {
    "prefix": "text before the token",
    "suffix": "text after the event",
    "encoding": "bytes that are not UTF-8",
    "control": "a NUL byte or a byte order mark",
    "constant": "NaN or Infinity, which JSON does not have",
    "twice": "a field named twice in one event",
}
NAMES = ('"time_ms"', '"key"', '"value"', '"metadata"')  # a quick look before the thorough one


class _Constants:
    """Notices the constants that Python's JSON reads and JSON does not have; costs nothing while there are none."""

    seen = False

    def __call__(self, name: str) -> float:
        self.seen = True
        return float(name.replace("Infinity", "inf"))


_constants = _Constants()
_pick = itemgetter("time_ms", "event_type", "key", "value", "metadata")
_scan = json.JSONDecoder(parse_constant=_constants).scan_once


def read_log(path: Path) -> Iterator[Event | BadLine | Oddity]:
    """The events, bad lines and oddities of a log, in order, streaming.

    Raises OSError when the file cannot be read, or is no regular file (opening a pipe would wait for ever).
    """
    scan, constants, pick, new, start = _scan, _constants, _pick, tuple.__new__, len(TOKEN) + 1
    for first, lines, sound in _blocks(path):
        for number, text in enumerate(lines, first):
            at = text.find(TOKEN)
            if at < 0:
                continue
            try:  # the usual line, as fast as can be; anything unusual goes to parse_line
                fields, end = scan(text, start)
                if not at and end == len(text) and sound and not constants.seen and text.count('"value"') == 1:
                    event = new(Event, (number, *pick(fields)))
                    if type(event[3]) is str and event[1] is not None:
                        yield event
                        continue
            except (ValueError, KeyError, TypeError, StopIteration, RecursionError):
                pass
            constants.seen = False
            if text[:at].strip():
                yield Oddity(number, "control" if text.startswith(("\ufeff", "\0")) else "prefix")
            yield from parse_line(number, text, at)
            if not sound and "\ufffd" in text:
                yield Oddity(number, "encoding")


def parse_line(number: int, text: str, at: int = 0) -> list[Event | BadLine | Oddity]:
    """What one line of text holds from its token at `at` on: mostly one event; several where ranks wrote at once."""
    start = at + len(TOKEN)
    while text[start : start + 1].isspace():
        start += 1
    try:
        fields, end = _scan(text, start)
    except StopIteration:
        return [BadLine(number, f"not JSON: found {text[start : start + 40]!r} after the token")]
    except (ValueError, RecursionError) as error:
        too_long = len(text) >= LONGEST
        return [BadLine(number, "the line is longer than 1 MiB" if too_long else f"not JSON: {str(error)[:200]}")]
    if type(fields) is not dict:
        return [BadLine(number, f"found a JSON {type(fields).__name__}, wanted an object")]
    key, time_ms = fields.get("key"), fields.get("time_ms")
    if type(key) is not str or time_ms is None:
        missing = "time_ms" if type(key) is str else "key"
        return [BadLine(number, f"the event has no {missing!r}, or not as it should be: {fields.get(missing)!r:.80}")]
    found: list[Event | BadLine | Oddity] = [
        Event(number, time_ms, fields.get("event_type"), key, fields.get("value"), fields.get("metadata"))
    ]
    if _constants.seen:
        _constants.seen = False
        found.append(Oddity(number, "constant"))
    if any(text.count(name, start, end) > 1 for name in NAMES) and _named_twice(text[start:end]):
        found.append(Oddity(number, "twice"))
    if end != len(text) and text[end:].strip():
        found.append(Oddity(number, "suffix"))
        again = text.find(TOKEN, end)
        if again >= 0:
            found += _more(number, text[again:])
    return found


def _more(number: int, text: str) -> list[Event | BadLine | Oddity]:
    """The events after the first in a line."""
    pieces = text.split(TOKEN)[1:]
    if len(pieces) > 100:
        return [BadLine(number, f"{len(pieces) + 1} events in one line, wanted one")]
    return [item for piece in pieces for item in parse_line(number, TOKEN + piece)]


def _named_twice(text: str) -> bool:
    """Whether any object in the JSON text names a field twice."""
    twice = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        if len({name for name, _ in pairs}) < len(pairs):
            twice.append(True)

    try:
        json.loads(text, object_pairs_hook=look)
    except (ValueError, RecursionError):
        return False
    return bool(twice)


def _blocks(path: Path) -> Iterator[tuple[int, list[str], bool]]:
    """(number of the first line, lines, whether they were UTF-8) a block; lines end at a line feed."""
    number, tail = 1, b""
    with open_regular(path) as file:
        while block := file.read(BLOCK):
            data = tail + block
            whole, newline, tail = data.rpartition(b"\n")
            if newline:
                if TOKEN_BYTES in whole:
                    lines, sound = _decode(whole)
                    if max(map(len, lines)) > LONGEST:
                        lines = [text[:LONGEST] for text in lines]
                    yield number, lines, sound
                number += whole.count(b"\n") + 1
            elif len(data) >= LONGEST:
                yield (number, *_decode(data[:LONGEST]))
                tail = _after_newline(file)
                number += 1
    if TOKEN_BYTES in tail:
        yield (number, *_decode(tail))


def _after_newline(file: BinaryIO) -> bytes:
    """Reads past the end of the line; what was read beyond it."""
    while block := file.read(BLOCK):
        _, newline, rest = block.partition(b"\n")
        if newline:
            return rest
    return b""


def _decode(data: bytes) -> tuple[list[str], bool]:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    try:
        return data.decode().split("\n"), True
    except UnicodeDecodeError:
        return data.decode(errors="replace").split("\n"), False


def open_regular(path: Path) -> BinaryIO:
    """A regular file for reading in binary. Raises OSError for anything else, without waiting."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path}: no regular file")
    return os.fdopen(descriptor, "rb")


class Handler(logging.FileHandler):
    """A file whose errors are raised: a run without its log is worth nothing."""

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        raise OSError(error.errno, error.strerror, self.baseFilename) if isinstance(error, OSError) else error


class LogWriter:
    """Writes one run's log through mlperf_logging. With `path` None it writes nothing (ranks above 0).

    Every event goes to the file at once, so that an interrupted run leaves a readable log, which `append` writes on.
    """

    def __init__(self, path: Path | None, append: bool = False):
        self._logger = None
        if path is None:
            return
        from mlperf_logging.mllog.mllog import MLLogger  # the judge reads logs without this package installed

        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = Handler(path, mode="a" if append else "w", encoding="utf-8")
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
