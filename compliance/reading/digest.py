"""sha256 of files and of values."""

import hashlib
import re
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple, cast

from benchmark.log import LONGEST, Event, open_regular
from compliance.reading.values import fields, is_size

SHA256 = re.compile(r"[0-9a-f]{64}")
CRLF = "line endings of Windows (CRLF)"  # words of a finding
HEAD = 64 << 10  # bytes of a file in which line endings are searched


class Named(NamedTuple):
    """A file as a log names it: the line, its sha256, its bytes (0 if not given), and its path beside the log."""

    line: int
    digest: str
    size: int
    file: str

    def beside(self, log: str) -> str:
        """Return its path as findings give it; `log` is that of the log."""
        return "/".join((*log.split("/")[:-1], self.file))


def is_sha256(value: Any) -> bool:
    """Return whether a value is a sha256 in hexadecimal."""
    return type(value) is str and bool(SHA256.fullmatch(value))


def file_fault(event: Event, file: str) -> tuple[str, str] | None:
    """Return (found, wanted) if an event does not give the sha256, bytes and path of this file, else None."""
    size, path = fields(event.metadata, "bytes", "path")
    if not is_sha256(event.value):
        return f"{event.value!r:.80}", "a sha256 of 64 hexadecimal digits"
    if not is_size(size) or not size:
        return f"bytes {size!r:.80}", "the bytes of the file"
    return (f"file {path!r:.80}", file) if path != file else None


def named_by(event: Event, file: str) -> Named | None:
    """Return the file at this path as an event names it; None if the event is malformed."""
    if file_fault(event, file):
        return None
    return Named(event.line, event.value, event.metadata["bytes"], file)


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file. Raises OSError for anything but a regular file that can be read."""
    with open_regular(path) as file:
        return hashlib.file_digest(cast("BufferedReader", file), "sha256").hexdigest()


def beginnings(path: Path) -> Iterator[tuple[int, int, "hashlib._Hash"]]:
    """Yield the line, the length and the sha256 of a file so far, at the end of each line; of one of more than LONGEST
    bytes also after so many. Raises OSError."""
    total, length, number = hashlib.sha256(), 0, 1
    with open_regular(path) as file:
        while piece := file.readline(LONGEST):
            total.update(piece)
            length += len(piece)
            yield number, length, total
            number += piece.endswith(b"\n")


def line_endings(path: Path) -> str:
    """Return ", with line endings of Windows (CRLF)" if a file begins with such lines, else ""."""
    try:
        with open_regular(path) as file:
            return f", with {CRLF}" if b"\r\n" in file.read(HEAD) else ""
    except OSError:
        return ""


def sha256(path: Path) -> str:
    """Return the sha256 of a file, "" if it can't be read."""
    try:
        return sha256_of(path)
    except OSError:
        return ""
