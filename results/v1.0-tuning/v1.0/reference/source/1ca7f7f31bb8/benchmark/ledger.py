"""The launch ledger of a set: every start of a run, and what became of it.

It is ledger.jsonl beside the logs, one JSON object a line, names sorted and without spaces. Entries are only ever
appended. Each has its `number`, which is its line's, from 1; `previous`, the sha256 of the line before without its
newline, null in the first; `time_ms`, milliseconds since 1970; and `event`: start, end or note. That of a campaign of
tuning begins with `frozen` and `drawn`, and may have `asked`. The digest of a line stands for all lines up to it: that
of the last one, the head, for the whole ledger.

How a run uses it. Rank 0 appends a `Start` before `run_start`, and logs what `append` returns:
`log.event("ledger", number, line=head)`. When its log is complete it appends the `End`. A run that goes on from a
checkpoint appends a start that `resumes` its last one, and logs the number in the event `resumed`. A run that was
killed has no end; a `Note` says why.

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
from benchmark.tree import LEDGER

LARGEST = 8 << 20  # bytes of a ledger
LONGEST = 16 << 10  # bytes of a line: room for a note of the longest text with all of it escaped
MOST = 10_000  # lines
LONGEST_NAME, LONGEST_NOTE = 255, 1000  # characters
SHOWN = 100  # faults of a ledger that are told
LATEST = 1 << 53  # milliseconds beyond it are no time
SHA256 = re.compile(r"[0-9a-f]{64}")
STATUSES = ("success", "aborted")
SHIFT_SOURCE = re.compile(r"os\.urandom|registry [1-9][0-9]{0,5}")


class Wrong(ValueError):
    """What is wrong with a ledger or an entry: what was found and what was wanted."""

    def __init__(self, found: str, wanted: str, where: str = ""):
        super().__init__(f"{where}found {found}, wanted {wanted}")
        self.found, self.wanted = found, wanted


@dataclass(frozen=True)
class Start:
    """A start of a run. `run` is the name of its log's file; `source`, `config` and `problem` are the digests that the
    log states as `source`, `config_digest` and `problem_digest`; `seed_commitment` is what `commitment` gives;
    `resumes` is the number of the start that it goes on from. Raises Wrong for a field that is none of that."""

    run: str
    source: str
    config: str
    problem: str
    seed_commitment: str
    resumes: int | None = None

    def __post_init__(self):
        _want_text("run", self.run, LONGEST_NAME)
        _want("/" not in self.run, "run", self.run, "the name of a file")
        for name in ("source", "config", "problem", "seed_commitment"):
            _want_digest(name, getattr(self, name))
        if self.resumes is not None:
            _want_number("resumes", self.resumes)

    @property
    def refers(self) -> int | None:
        """The number of the start that it is about."""
        return self.resumes


@dataclass(frozen=True)
class End:
    """The end of what start `of` began: the run's `status`, and the sha256 of its complete log. Raises Wrong for a
    field that is none of that."""

    of: int
    status: str
    log: str

    def __post_init__(self):
        _want_number("of", self.of)
        _want(self.status in STATUSES, "status", self.status, " or ".join(STATUSES))
        _want_digest("log", self.log)

    @property
    def refers(self) -> int:
        """The number of the start that it is about."""
        return self.of


@dataclass(frozen=True)
class Note:
    """What people or tools say of start `of`, such as why it has no end, or no log. Raises Wrong for a text that is
    empty, not printable, or longer than LONGEST_NOTE characters."""

    of: int
    text: str

    def __post_init__(self):
        _want_number("of", self.of)
        _want_text("text", self.text, LONGEST_NOTE)

    @property
    def refers(self) -> int:
        """The number of the start that it is about."""
        return self.of


@dataclass(frozen=True)
class Frozen:
    """A campaign of tuning is fixed: the sha256 of its canonical text. Raises Wrong for anything else."""

    sha256: str

    def __post_init__(self):
        _want_digest("sha256", self.sha256)

    refers = None  # it is about no start


@dataclass(frozen=True)
class Drawn:
    """The shift of a campaign, 32 bytes in hexadecimal, and where it comes from: os.urandom, or "registry 3", the
    round's third entry. Raises Wrong for anything else."""

    shift: str
    source: str

    def __post_init__(self):
        _want_digest("shift", self.shift)
        sound = type(self.source) is str and bool(SHIFT_SOURCE.fullmatch(self.source))
        _want(sound, "source", self.source, "os.urandom or registry <entry>")

    refers = None


@dataclass(frozen=True)
class Asked:
    """The point of trial `trial`, from 0, as an outside sampler proposed it. Raises Wrong for anything else."""

    point: dict[str, Any]
    trial: int

    def __post_init__(self):
        _want(type(self.point) is dict and len(self.point) <= 100, "point", self.point, "settings by name")
        _want(type(self.trial) is int and 0 <= self.trial < MOST, "trial", self.trial, f"a number below {MOST}")

    refers = None


Event = Start | End | Note | Frozen | Drawn | Asked
EVENTS: dict[str, type] = {"start": Start, "end": End, "note": Note, "frozen": Frozen, "drawn": Drawn, "asked": Asked}
COMMON = {"event", "number", "previous", "time_ms"}
BEGINNINGS = (b'{"config":', b'{"event":')  # of a start; of an end or a note


@dataclass(frozen=True)
class Entry:
    """An entry as it stands in a ledger: what it says, and the digest of its line."""

    number: int
    previous: str | None
    time_ms: int
    said: Event
    line: str


@dataclass(frozen=True)
class Fault:
    """What is wrong with line `line`, from 1. `cut`: it is the beginning of an entry, as a killed writer leaves it."""

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
    """Append an entry, now or at `time_ms`; its number, and the digest of its line, which is the ledger's head. It is
    on disk when this returns; other writers wait meanwhile.

    Raises Wrong for a path that is no regular file or whose last line is none of a ledger, for a ledger that is full,
    and for an entry that is about no earlier one; OSError where it cannot be written.
    """
    where, made = f"{path}: ", not os.path.lexists(path)
    handle = _open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        data = _read(handle, where)
        lines, unended = _lines(data)
        _can_follow(lines, where)
        if said.refers is not None and said.refers > len(lines):
            raise Wrong(f"an entry about entry {said.refers}", f"one of the {len(lines)} there are", where)
        now = int(time.time() * 1000) if time_ms is None else time_ms  # as logs have it
        line = line_of(len(lines) + 1, _sha256(lines[-1]) if lines else None, now, said)
        if len(lines) >= MOST or len(data) + len(line) + 2 > LARGEST:
            found = f"{len(lines)} lines of {len(data)} bytes in all"
            raise Wrong(found, f"room for one more of {MOST} lines and {LARGEST} bytes", where)
        rest = b"\n" * unended + line + b"\n"
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    if made:
        sync(Path(path).parent)
    return len(lines) + 1, _sha256(line)


def read_ledger(path: Path) -> Ledger:
    """A ledger's entries, and what is wrong with it. Never raises for what lies there: a file that cannot be read is a
    fault, too. Entries are those of the lines that hold one, whether or not they are chained as they should be."""
    try:
        handle = _open(path, os.O_RDONLY)
        try:
            data = _read(handle)
        finally:
            os.close(handle)
    except OSError as error:
        return Ledger((), (Fault(1, f"no file that can be read ({error.strerror or 'an error'})", LEDGER),))
    except Wrong as wrong:
        return Ledger((), (Fault(1, wrong.found, wrong.wanted),))
    lines, unended = _lines(data)
    entries, faults, missing = [], [], 0  # lines that numbers say were taken out above
    for number, line in enumerate(lines[:MOST], 1):
        try:
            entry = parse(line)
            faults += _misplaced(entry, number, number + missing, lines[number - 2] if number > 1 else None)
            missing = entry.number - number
            entries.append(entry)
        except Wrong as wrong:
            faults.append(Fault(number, wrong.found, wrong.wanted, _is_cut(line)))
    if len(lines) > MOST:
        faults.append(Fault(MOST + 1, f"{len(lines)} lines", f"at most {MOST}"))
    elif unended and entries and entries[-1].line == _sha256(lines[-1]):
        faults.append(Fault(len(lines), "a last line without an end", "a newline", cut=True))
    if not lines:
        faults.append(Fault(1, "nothing", "the start of a run"))
    if len(faults) > SHOWN:
        more = Fault(faults[SHOWN].line, f"{len(faults) - SHOWN} more faults from here on", "none")
        faults = [*faults[:SHOWN], more]
    return Ledger(tuple(entries), tuple(faults), _sha256(lines[-1]) if lines else "")


def line_of(number: int, previous: str | None, time_ms: int, said: Event) -> bytes:
    """An entry as it is written, without the newline."""
    event = next(name for name, kind in EVENTS.items() if kind is type(said))
    return _canonical({**asdict(said), "number": number, "previous": previous, "time_ms": time_ms, "event": event})


def parse(line: bytes) -> Entry:
    """The entry that a line holds. Raises Wrong for a line that holds none."""
    if len(line) > LONGEST:
        raise Wrong(f"a line of {len(line)} bytes", f"at most {LONGEST}")
    try:
        values = json.loads(line)
        sound = type(values) is dict and _canonical(values) == line
    except (ValueError, RecursionError):
        sound = False
    if not sound:
        raise Wrong(f"{line[:40]!r}"[1:], "a JSON object with sorted names and no spaces")
    name = values.get("event")
    kind = EVENTS.get(name) if type(name) is str else None
    if kind is None:
        raise Wrong(f"event {name!r:.80}", ", ".join(EVENTS))
    own = {field.name for field in fields(kind)}
    if odd := sorted(values.keys() ^ (own | COMMON)):
        raise Wrong(f"{'the' if odd[0] in values else 'no'} field {odd[0]!r:.80}", ", ".join(sorted(own | COMMON)))
    _want_number("number", values["number"])
    if values["previous"] is not None:
        _want_digest("previous", values["previous"])
    time_ms = values["time_ms"]
    _want(type(time_ms) is int and 0 <= time_ms < LATEST, "time_ms", time_ms, "milliseconds since 1970")
    said = kind(**{field: values[field] for field in own})
    return Entry(values["number"], values["previous"], time_ms, said, _sha256(line))


def _misplaced(entry: Entry, line: int, number: int, before: bytes | None) -> list[Fault]:
    """What is wrong with where an entry stands: in line `line`, after the line `before`, where `number` is next. Of a
    line that was taken out only the broken chain is told."""
    found, wanted = entry.previous, None if before is None else _sha256(before)
    faults = []
    if found != wanted:
        faults.append(Fault(line, f"previous {found}", f"{wanted}, the sha256 of the line before"))
    elif entry.number != number:
        faults.append(Fault(line, f"number {entry.number}", f"{number}, the next one"))
    if entry.said.refers is not None and entry.said.refers >= entry.number:
        faults.append(Fault(line, f"an entry about entry {entry.said.refers}", "an earlier one"))
    return faults


def _can_follow(lines: list[bytes], where: str) -> None:
    """Raises Wrong unless the last line is an entry of its number, or one that was cut off."""
    if lines and not _is_cut(lines[-1]):
        where = f"{where[:-2]}:{len(lines)}: "
        try:
            number = parse(lines[-1]).number
        except Wrong as wrong:
            raise Wrong(wrong.found, wrong.wanted, where) from None
        if number != len(lines):
            raise Wrong(f"number {number}", f"{len(lines)}, the line's", where)


def _is_cut(line: bytes) -> bool:
    """Whether a line is the beginning of an entry, and not all of one."""
    begins = any(line.startswith(beginning[: len(line)]) for beginning in BEGINNINGS)
    return begins and 0 < len(line) <= LONGEST and not line.rstrip().endswith(b"}")


def _open(path: Path, flags: int) -> int:
    """An open file. Raises Wrong for a link; anything else that is no regular file is for `_read`."""
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except OSError:
        if os.path.islink(path):
            raise Wrong("a symbolic link", "a regular file", f"{path}: ") from None
        raise


def _read(handle: int, where: str = "") -> bytes:
    """All of an open file. Raises Wrong for one that is too large or no regular file."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise Wrong("a pipe, socket or device", "a regular file", where)
    with open(handle, "rb", closefd=False) as file:
        file.seek(0)
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Wrong(f"more than {LARGEST} bytes", f"at most {LARGEST}", where)
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
        raise Wrong(f"{name} {found!r:.80}", wanted)


def _want_text(name: str, found: Any, most: int) -> None:
    plain = type(found) is str and found.isprintable() and 0 < len(found) <= most
    _want(plain, name, found, f"printable text of 1 to {most} characters")


def _want_digest(name: str, found: Any) -> None:
    _want(type(found) is str and bool(SHA256.fullmatch(found)), name, found, "a sha256 in hexadecimal")


def _want_number(name: str, found: Any) -> None:
    _want(type(found) is int and 1 <= found <= MOST, name, found, f"a number from 1 to {MOST}")
