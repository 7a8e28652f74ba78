"""Read and write logs. No other module knows their format.

A log is text. An event is a JSON object after the token `:::MLLOG`, with namespace, time_ms, event_type, key, value and
metadata (mlperf-logging's format). The reader never raises on a bad line: it returns bad lines and oddities, and rules
report them. It holds one block of the file at a time.
"""

import json
import logging
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from benchmark.clock import now_ms
from benchmark.printable import reason

TOKEN = ":::MLLOG"
TOKEN_BYTES = TOKEN.encode()
ROOT = Path(__file__).resolve().parents[1]
BLOCK = 1 << 20  # bytes read at a time
LONGEST = 1 << 20  # bytes of a line that are read; an event in a longer line is a bad line


class Event(NamedTuple):
    """One event. `line` counts from 1; `time_ms` is milliseconds since the Unix epoch."""

    line: int
    time_ms: Any
    event_type: Any
    key: Any
    value: Any
    metadata: Any


class BadLine(NamedTuple):
    """A line with the token but without a valid event, and the reason."""

    line: int
    reason: str


class Oddity(NamedTuple):
    """Something in a line that should not be there, though the event can be read: a prefix, a suffix, an encoding other
    than UTF-8, a control (NUL, byte order mark), a constant (NaN, Infinity), or a field that is there twice."""

    line: int
    kind: str


class _Decoder(json.JSONDecoder):
    """A JSON decoder that notices what Python's accepts and JSON should not have: constants such as NaN, and a field
    that is named twice in one object."""

    def __init__(self) -> None:
        self.constant = self.twice = False
        super().__init__(object_pairs_hook=self._object, parse_constant=self._constant)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.twice = True
        return found

    def _constant(self, name: str) -> float:
        self.constant = True
        return float(name.replace("Infinity", "inf"))

    def oddities(self, line: int, text: str, start: int) -> list[Oddity]:
        """Return what is odd in the JSON value that begins at `start`. Raises as `scan_once`."""
        self.constant = self.twice = False
        self.scan_once(text, start)
        found = [Oddity(line, kind) for kind in ("constant", "twice") if getattr(self, kind)]
        self.constant = False
        return found


_DECODER = _Decoder()
_scan = json.JSONDecoder(parse_constant=_DECODER.parse_constant).scan_once  # fast: looks at no names


def _names(fields: dict[str, Any]) -> int:
    """Return how many names an event has, with those of its value and its metadata."""
    value, metadata = fields.get("value"), fields.get("metadata")
    inside = len(metadata) if type(metadata) is dict else 0
    return len(fields) + inside + (len(value) if type(value) is dict else 0)


def read_log(path: Path, plain: Callable[[int, str], Event | None] | None = None) -> Iterator[Event | BadLine | Oddity]:
    """Yield the events, bad lines and oddities of a log, in order, while it is being read.

    `plain(number, text)` is a parser faster than `parse_line`, for lines that begin with the token. It returns the
    event of a line that holds one and nothing odd, and None for any other line, which `parse_line` then reads.

    Raises OSError when the file cannot be read or is not a regular one (opening a pipe could wait for ever).
    """
    for first, lines, is_utf8 in _blocks(path):
        for number, text in enumerate(lines, first):
            at = text.find(TOKEN)
            if at < 0:
                continue
            if plain and at == 0 and is_utf8 and (event := plain(number, text)):
                yield event
                continue
            if at and text[:at].strip():
                yield Oddity(number, "control" if text.startswith(("\ufeff", "\0")) else "prefix")
            yield from parse_line(number, text, at)
            if not is_utf8 and "\ufffd" in text:
                yield Oddity(number, "encoding")


def parse_line(number: int, text: str, at: int = 0) -> list[Event | BadLine | Oddity]:
    """Return what a line holds from its token at `at` on: usually one event, several where ranks wrote at once."""
    start = at + len(TOKEN)
    while text[start : start + 1] != "{" and text[start : start + 1].isspace():
        start += 1
    oddities: list[Oddity] = []
    try:
        fields, end = _scan(text, start)
        names = _names(fields) if type(fields) is dict else 0
        if _DECODER.constant or text.count(":", start, end) > names:  # else each colon is of a name of its own
            oddities = _DECODER.oddities(number, text, start)
    except StopIteration:
        return [BadLine(number, f"not JSON: found {text[start : start + 40]!r} after the token")]
    except (ValueError, RecursionError) as error:
        too_long = len(text) >= LONGEST
        return [BadLine(number, "the line is longer than 1 MiB" if too_long else f"not JSON: {reason(error)[:200]}")]
    if type(fields) is not dict:
        return [BadLine(number, f"found a JSON {type(fields).__name__}, wanted an object")]
    key, time_ms = fields.get("key"), fields.get("time_ms")
    if type(key) is not str or time_ms is None:
        missing = "time_ms" if type(key) is str else "key"
        return [BadLine(number, f"the event has no {missing!r}, or not as it should be: {fields.get(missing)!r:.80}")]
    event = Event(number, time_ms, fields.get("event_type"), key, fields.get("value"), fields.get("metadata"))
    found: list[Event | BadLine | Oddity] = [event, *oddities]
    if end != len(text) and text[end:].strip():
        found.append(Oddity(number, "suffix"))
        again = text.find(TOKEN, end)
        if again >= 0:
            found += _more(number, text[again:])
    return found


def _more(number: int, text: str) -> list[Event | BadLine | Oddity]:
    """Return the events after the first in a line."""
    pieces = text.split(TOKEN)[1:]
    if len(pieces) > 100:
        return [BadLine(number, f"{len(pieces) + 1} events in one line, wanted one")]
    return [item for piece in pieces for item in parse_line(number, TOKEN + piece)]


def _blocks(path: Path) -> Iterator[tuple[int, list[str], bool]]:
    """Yield each block that has events: the number of its first line, its lines, and whether they are UTF-8."""
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
    """Read past the end of the line. Return what was read beyond it."""
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
    """Open a regular file for reading in binary. Raises OSError for anything else, without waiting."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path}: no regular file")
    return os.fdopen(descriptor, "rb")


class Handler(logging.FileHandler):
    """A log file whose write errors are raised, since a run without its log is worth nothing."""

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        raise OSError(error.errno, error.strerror, self.baseFilename) if isinstance(error, OSError) else error


class LogWriter:
    """Writes one run's log through mlperf_logging, with the times of benchmark/clock.py. With `path` None, as on ranks
    above 0, it writes nothing.

    Every event goes to the file at once, so an interrupted run leaves a readable log. With `append` it continues one;
    without, it raises FileExistsError where there is a file already.
    """

    def __init__(self, path: Path | None, append: bool = False):
        self._logger = None
        if path is None:
            return
        from mlperf_logging.mllog.mllog import MLLogger  # here, because the checker runs without this package

        Path(path).parent.mkdir(parents=True, exist_ok=True)
        handler = Handler(path, mode="a" if append else "x", encoding="utf-8")  # "x": nothing is overwritten
        backend = logging.Logger(f"mllog:{path}", logging.INFO)  # not in the global registry: one log, one logger
        backend.manager = logging.Manager(logging.RootLogger(logging.INFO))  # whatever disables others
        backend.addHandler(handler)
        # The caller that the log names is the one of event(), start() or end() below.
        self._logger = MLLogger(backend, default_stack_offset=2, root_dir=re.escape(str(ROOT)))

    def event(self, key: str, value: Any = None, **metadata: Any) -> None:
        """Log a point in time."""
        if self._logger:
            self._logger.event(key, value, metadata, time_ms=now_ms())

    def start(self, key: str, value: Any = None, **metadata: Any) -> None:
        """Log the start of an interval (keys `..._start`)."""
        if self._logger:
            self._logger.start(key, value, metadata, time_ms=now_ms())

    def end(self, key: str, value: Any = None, **metadata: Any) -> None:
        """Log the end of an interval (keys `..._stop`)."""
        if self._logger:
            self._logger.end(key, value, metadata, time_ms=now_ms())

    def close(self) -> None:
        """Flush and close the file."""
        if self._logger:
            for handler in self._logger.logger.handlers:
                handler.close()
