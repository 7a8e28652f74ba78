"""Append to the launch ledger of a set. `benchmark/ledger.py` says what it is, and reads it.

A run appends its start before its clock starts, and its end when its log is complete. A line that a killed writer or a
full disk has cut off stays as it is: the next writer ends it with a newline and continues the chain from it.
"""

import fcntl
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmark.atomic import naming, sync
from benchmark.clock import now_ms

LARGEST = 8 << 20  # bytes of a ledger
LONGEST = 16 << 10  # bytes of a line: room for a note of the longest text with all of it escaped
MOST = 10_000  # lines
BEGINNINGS = (b'{"config":', b'{"event":')  # of a start; of an end or a note


class Wrong(ValueError):
    """A ledger or an entry is not valid. `found` and `wanted` are the two halves of the message."""

    def __init__(self, found: str, wanted: str, where: str = ""):
        super().__init__(f"{where}found {found}, wanted {wanted}")
        self.found, self.wanted = found, wanted


def append_start(path: Path, run: str, seed: int, digests: Mapping[str, str], resumed: bool) -> tuple[int, str]:
    """Append the start of a run, whose log is the file `run`, with the `digests` of its source, config and problem.
    A resumed run refers to its last start. Return the entry's number and the digest of its line. Raises as `append`
    does."""
    before = [entry["number"] for entry in starts(path) if entry.get("run") == run] if resumed else []
    resumes: int | None = before[-1] if before else None
    fields = {"run": run, **digests, "seed_commitment": commitment(seed), "resumes": resumes}
    return append(path, "start", fields, resumes)


def append_end(path: Path, start: int, status: str, log: str) -> str:
    """Append the end of a start: its `status`, and the sha256 of its complete log. Return the digest of the ledger's
    last line, its head. Raises as `append` does."""
    return append(path, "end", {"of": start, "status": status, "log": log}, start)[1]


def commitment(seed: int) -> str:
    """Return a start's commitment to its seed: the sha256 of the text "seed <number>"."""
    return sha256(f"seed {seed}".encode())


def starts(path: Path) -> list[dict[str, Any]]:
    """Return the starts in a ledger, in order; none where there is no ledger. Other lines are passed over."""
    if not os.path.lexists(path):
        return []
    handle = open_ledger(path, os.O_RDONLY)
    try:
        lines = lines_of(read_all(handle, f"{path}: "))[0]
    finally:
        os.close(handle)
    entries = (entry for line in lines if (entry := entry_of(line)) and entry.get("event") == "start")
    return [entry for entry in entries if type(entry.get("number")) is int]


def append(
    path: Path, event: str, fields: Mapping[str, Any], refers: int | None = None, time_ms: int | None = None
) -> tuple[int, str]:
    """Append an entry with the present time, or with `time_ms`. Return its number and the ledger's new head.

    The entry is on disk when this returns. Other writers wait meanwhile, where the file system has locks. Raises Wrong
    for a path that is not a regular file, for a last line that is not a ledger's, for a full ledger, and for an entry
    that is too long or `refers` to a later one; raises OSError where the ledger cannot be written.
    """
    where, made = f"{path}: ", not os.path.lexists(path)
    if made and refers is not None:
        raise Wrong("no ledger", f"that of start {refers}", where)
    handle = open_ledger(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        data = read_all(handle, where)
        lines, unended = lines_of(data)
        check_last(lines, where)
        if refers is not None and refers > len(lines):
            raise Wrong(f"an entry about entry {refers}", f"one of the {len(lines)} there are", where)
        now = now_ms() if time_ms is None else time_ms  # as logs have it
        previous = sha256(lines[-1]) if lines else None
        line = canonical({**fields, "number": len(lines) + 1, "previous": previous, "time_ms": now, "event": event})
        if len(line) > LONGEST:  # which no reader would take
            raise Wrong(f"an entry of {len(line)} bytes", f"at most {LONGEST}", where)
        if len(lines) >= MOST or len(data) + len(line) + 2 > LARGEST:
            found = f"{len(lines)} lines of {len(data)} bytes in all"
            raise Wrong(found, f"room for one more of {MOST} lines and {LARGEST} bytes", where)
        rest = b"\n" * unended + line + b"\n"
        with naming(path):
            while rest:
                rest = rest[os.write(handle, rest) :]
            os.fsync(handle)
    finally:
        os.close(handle)
    if made:
        sync(Path(path).parent)
    return len(lines) + 1, sha256(line)


def check_last(lines: list[bytes], where: str) -> None:
    """Raise Wrong unless the last line is an entry with the right number, or one that was cut off."""
    if not lines or is_cut(lines[-1]):
        return
    where, entry = f"{where[:-2]}:{len(lines)}: ", entry_of(lines[-1])
    if entry is None:
        raise Wrong(f"{lines[-1][:40]!r}"[1:], "a JSON object with sorted names and no spaces", where)
    if entry.get("number") != len(lines):
        raise Wrong(f"number {entry.get('number')!r:.80}", f"{len(lines)}, the line's", where)


def entry_of(line: bytes) -> dict[str, Any] | None:
    """Return the fields of a line in canonical form; None for any other line."""
    try:
        values = json.loads(line) if len(line) <= LONGEST else None
        return values if type(values) is dict and canonical(values) == line else None
    except (ValueError, RecursionError):
        return None


def is_cut(line: bytes) -> bool:
    """Return whether a line is the beginning of an entry, but not a whole one."""
    begins = any(line.startswith(beginning[: len(line)]) for beginning in BEGINNINGS)
    return begins and 0 < len(line) <= LONGEST and not line.rstrip().endswith(b"}")


def open_ledger(path: Path, flags: int) -> int:
    """Return an open file's descriptor. Raises Wrong for a symbolic link. `read_all` refuses other irregular files."""
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except OSError:
        if os.path.islink(path):
            raise Wrong("a symbolic link", "a regular file", f"{path}: ") from None
        raise


def read_all(handle: int, where: str = "") -> bytes:
    """Return all of an open file. Raises Wrong for one that is too large or not a regular file."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise Wrong("a pipe, socket or device", "a regular file", where)
    with open(handle, "rb", closefd=False) as file:
        file.seek(0)
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Wrong(f"more than {LARGEST} bytes", f"at most {LARGEST}", where)
    return data


def lines_of(data: bytes) -> tuple[list[bytes], bool]:
    """Return the lines, and whether the last one lacks its newline."""
    *lines, rest = data.split(b"\n")
    return ([*lines, rest], True) if rest else (lines, False)


def canonical(values: Mapping[str, Any]) -> bytes:
    """Return an entry's fields as JSON with sorted names and no spaces."""
    return json.dumps(values, sort_keys=True, separators=(",", ":")).encode()


def sha256(data: bytes) -> str:
    """Return the sha256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
