"""The launch ledger of a set: every start of a run, and what became of it.

It is ledger.jsonl beside the logs, one JSON object a line, names sorted and without spaces. Entries are only ever
appended. Each has its `number`, which is its line's, from 1; `previous`, the sha256 of the line before without its
newline, None in the first; and `time_ms`, milliseconds since 1970. A line digest stands for all lines up to it: the
last one, the head, for the whole ledger.

How a run uses it. Rank 0 appends a `Start` before `run_start`, and logs what `append` returns:
`log.event("ledger", number, line=head)`. When its log is complete it appends the `End`. A run that goes on from a
checkpoint appends a start that `resumes` its last one. A run that was killed has no end; a `Note` says why.

A line that a killed writer, or a full disk, has cut off stays as it is: the next writer ends it with a newline and
chains on to it, and whoever reads the ledger is told. Nothing here truncates.
"""

import fcntl
import hashlib
import json
import os
import re
import stat
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from benchmark.atomic import sync

NAME = "ledger.jsonl"
LARGEST = 8 << 20  # bytes of a ledger
LONGEST = 16 << 10  # bytes of a line: a note of the longest text, all of it escaped
MOST = 10_000  # entries
LONGEST_NOTE = 1000  # characters
LONGEST_NAME = 255
SHOWN = 100  # faults that are told
LATEST = 1 << 53  # milliseconds beyond it are no time
SHA256 = re.compile(r"[0-9a-f]{64}")
STATUSES = ("success", "aborted")


@dataclass(frozen=True)
class Start:
    """A start of a run. `run` is the name of its log's file; `source`, `config` and `problem` are the digests that the
    log states as `source`, `config_digest` and `problem_digest`; `seed_commitment` is that of `commitment`; `resumes`
    is the number of the start that it goes on from. Raises ValueError for a field that is not that."""

    run: str
    source: str
    config: str
    problem: str
    seed_commitment: str
    resumes: int | None = None

    def __post_init__(self):
        plain = type(self.run) is str and self.run.isprintable() and "/" not in self.run
        _want(plain and 0 < len(self.run) <= LONGEST_NAME, "run", self.run, "the name of a file")
        for name in ("source", "config", "problem", "seed_commitment"):
            _want_digest(name, getattr(self, name))
        if self.resumes is not None:
            _want_number("resumes", self.resumes)


@dataclass(frozen=True)
class End:
    """The end of the run that start `of` began: its `status`, and the sha256 of its complete log. Raises ValueError for
    a field that is not that."""

    of: int
    status: str
    log: str

    def __post_init__(self):
        _want_number("of", self.of)
        _want(self.status in STATUSES, "status", self.status, " or ".join(STATUSES))
        _want_digest("log", self.log)


@dataclass(frozen=True)
class Note:
    """What people say of start `of`: why it has no end, or no log. Raises ValueError for a text that is empty, longer
    than LONGEST_NOTE characters, or not printable."""

    of: int
    text: str

    def __post_init__(self):
        _want_number("of", self.of)
        plain = type(self.text) is str and self.text.isprintable()
        _want(
            plain and 0 < len(self.text) <= LONGEST_NOTE,
            "text",
            self.text,
            f"printable text of at most {LONGEST_NOTE} characters",
        )


Event = Start | End | Note
EVENTS: dict[str, type] = {"start": Start, "end": End, "note": Note}
COMMON = ("event", "number", "previous", "time_ms")


@dataclass(frozen=True)
class Entry:
    """An entry as it stands in a ledger: what its line says, and the line's own digest."""

    number: int
    previous: str | None
    time_ms: int
    said: Event
    line: str


@dataclass(frozen=True)
class Fault:
    """What is wrong with a line, from 1. `cut`: the line is the beginning of an entry, as a killed writer leaves it."""

    line: int
    found: str
    wanted: str
    cut: bool = False


@dataclass(frozen=True)
class Ledger:
    """A ledger as it was read. `head` is the digest of its last line, "" where there is none."""

    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]
    head: str = ""


def commitment(seed: int) -> str:
    """What a start says of its seed: the sha256 of the text "seed <number>"."""
    return _sha256(f"seed {seed}".encode())


def append(path: Path, said: Event, time_ms: int | None = None) -> tuple[int, str]:
    """Appends an entry, now or at `time_ms`; its number, and the digest of its line. It is on disk when this returns;
    other writers wait meanwhile.

    Raises ValueError for a path that is no regular file or whose last line is none of a ledger, for a ledger that is
    full, and for an entry that refers to no earlier one; OSError where it cannot be written.
    """
    handle, made = _open(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        data = _read(handle, path)
        lines, cut = _lines(data)
        _follow(path, lines)
        refers = said.resumes if isinstance(said, Start) else said.of
        if refers is not None and refers > len(lines):
            raise ValueError(f"{path}: found an entry about entry {refers}, wanted one of the {len(lines)} there are")
        number, previous = len(lines) + 1, _sha256(lines[-1]) if lines else None
        line = line_of(number, previous, round(time.time() * 1000) if time_ms is None else time_ms, said)
        if number > MOST or len(data) + len(line) + 2 > LARGEST:
            raise ValueError(
                f"{path}: found {len(lines)} lines of {len(data)} bytes, wanted room for one more of "
                f"{MOST} lines and {LARGEST} bytes"
            )
        rest = b"\n" * cut + line + b"\n"  # one write, so that a killed process leaves all or nothing, mostly
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    if made:
        sync(Path(path).parent)
    return number, _sha256(line)


def read_ledger(path: Path) -> Ledger:
    """The entries of a ledger, and what is wrong with it: never raises for what a file holds, or that there is none.

    An entry stands, in spite of faults, where its line can be read; the chain is followed from line to line.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = _read(handle, path)
        finally:
            os.close(handle)
    except OSError as error:
        return Ledger((), (Fault(1, f"no file that can be read ({error.strerror or 'an error'})", NAME),))
    except ValueError as error:
        return Ledger((), (Fault(1, *str(error).partition("found ")[2].split(", wanted ", 1)),))
    lines, cut = _lines(data)
    entries, faults = [], []
    for number, line in enumerate(lines[:MOST], 1):
        try:
            entry = parse(line)
        except ValueError as error:
            faults.append(Fault(number, repr(line[:40])[1:], str(error), _is_cut(line)))
            continue
        entries.append(entry)
        faults += _links(entry, number, lines[number - 2] if number > 1 else None)
    if len(lines) > MOST:
        faults.append(Fault(MOST + 1, f"{len(lines)} lines", f"at most {MOST}"))
    elif cut and lines and not (faults and faults[-1].line == len(lines)):
        faults.append(Fault(len(lines), "a last line without an end", "whole lines", cut=True))
    if not lines:
        faults.append(Fault(1, "no line", "the start of a run"))
    return Ledger(tuple(entries), _few(faults), _sha256(lines[-1]) if lines else "")


def line_of(number: int, previous: str | None, time_ms: int, said: Event) -> bytes:
    """An entry as it is written, without the newline."""
    event = next(name for name, kind in EVENTS.items() if kind is type(said))
    values = {"number": number, "previous": previous, "time_ms": time_ms, "event": event}
    return _canonical({**asdict(said), **values})


def parse(line: bytes) -> Entry:
    """The entry that a line holds. Raises ValueError that says what was wanted of a line that holds none."""
    if len(line) > LONGEST:
        raise ValueError(f"at most {LONGEST} bytes, not {len(line)}")
    try:
        values = json.loads(line)
        same = type(values) is dict and _canonical(values) == line
    except (ValueError, RecursionError):
        values, same = None, False
    if type(values) is not dict or not same:
        raise ValueError("a JSON object with sorted names and no spaces")
    event = values.get("event")
    kind = EVENTS.get(event) if type(event) is str else None
    if kind is None:
        raise ValueError(f"event {', '.join(EVENTS)}, not {event!r:.80}")
    own = {f.name for f in fields(kind)}
    if values.keys() != own | set(COMMON):
        raise ValueError(f"the fields {', '.join(sorted(own | set(COMMON)))}")
    number, previous, time_ms = (values[name] for name in ("number", "previous", "time_ms"))
    _want_number("number", number)
    if previous is not None:
        _want_digest("previous", previous)
    _want(type(time_ms) is int and 0 <= time_ms < LATEST, "time_ms", time_ms, "milliseconds since 1970")
    return Entry(number, previous, time_ms, kind(**{name: values[name] for name in own}), _sha256(line))


def _links(entry: Entry, number: int, before: bytes | None) -> list[Fault]:
    """What is wrong with where an entry stands: in line `number`, after the line `before`."""
    faults = []
    if entry.number != number:
        faults.append(Fault(number, f"number {entry.number}", f"{number}, as the line's"))
    wanted = None if before is None else _sha256(before)
    if entry.previous != wanted:
        faults.append(Fault(number, f"previous {entry.previous}", f"{wanted}, the sha256 of the line before"))
    refers = entry.said.resumes if isinstance(entry.said, Start) else entry.said.of
    if refers is not None and refers >= number:
        faults.append(Fault(number, f"an entry about entry {refers}", "one before it"))
    return faults


def _few(faults: list[Fault]) -> tuple[Fault, ...]:
    """As many faults as are told, and how many there are beside."""
    if len(faults) <= SHOWN:
        return tuple(faults)
    more = Fault(faults[SHOWN].line, f"{len(faults) - SHOWN} more faults from here on", "none")
    return (*faults[:SHOWN], more)


def _follow(path: Path, lines: list[bytes]) -> None:
    """Raises ValueError unless the last line is an entry of that number, or was cut off."""
    if not lines or _is_cut(lines[-1]):
        return
    try:
        number = parse(lines[-1]).number
    except ValueError as error:
        raise ValueError(f"{path}:{len(lines)}: found {lines[-1][:40]!r}, wanted {error}") from None
    if number != len(lines):
        raise ValueError(f"{path}:{len(lines)}: found number {number}, wanted {len(lines)}, as the line's")


def _is_cut(line: bytes) -> bool:
    """Whether a line is the beginning of an entry."""
    if not b'{"config":'.startswith(line[:10]) and not b'{"event":'.startswith(line[:9]):
        return False
    try:
        json.loads(line[:LONGEST])
    except (ValueError, RecursionError):
        return True
    return False


def _open(path: Path) -> tuple[int, bool]:
    """The file to append to, and whether it was made. Raises ValueError for a link."""
    made = not os.path.lexists(path)
    try:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(path, flags, 0o644), made
    except OSError:
        if os.path.islink(path):
            raise ValueError(f"{path}: found a symbolic link, wanted a regular file") from None
        raise


def _read(handle: int, path: Path) -> bytes:
    """All of an open file. Raises ValueError for one that is too large or no regular file."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise ValueError(f"{path}: found something else, wanted a regular file")
    with open(handle, "rb", closefd=False) as file:
        file.seek(0)
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"{path}: found more than {LARGEST} bytes, wanted at most so many")
    return data


def _lines(data: bytes) -> tuple[list[bytes], bool]:
    """The lines, and whether the last one has no newline."""
    *lines, rest = data.split(b"\n")
    return ([*lines, rest], True) if rest else (lines, False)


def _canonical(values: dict[str, Any]) -> bytes:
    return json.dumps(values, sort_keys=True, separators=(",", ":")).encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _want(holds: bool, name: str, found: Any, wanted: str) -> None:
    if not holds:
        raise ValueError(f"{name}: found {found!r:.80}, wanted {wanted}")


def _want_digest(name: str, found: Any) -> None:
    _want(type(found) is str and bool(SHA256.fullmatch(found)), name, found, "a sha256 in hexadecimal")


def _want_number(name: str, found: Any) -> None:
    _want(type(found) is int and 1 <= found <= MOST, name, found, f"a number from 1 to {MOST}")
