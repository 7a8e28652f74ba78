"""Read and append to the launch ledger of a set, which records every start of a run and what became of it.

The ledger is ledger.jsonl beside the logs. Each line is a JSON object with sorted names and no spaces, and entries are
only ever appended. An entry has four fields of its own: `number`, its line's number from 1; `previous`, the sha256 of
the line before without its newline, null in the first line; `time_ms`, milliseconds since 1970; and `event`: start, end
or note. The ledger of a tuning campaign begins with `frozen` and `drawn`, and may have `asked`. The digest of a line
covers all lines up to it. That of the last line is called the head and covers the whole ledger.

A run uses the ledger like this. Rank 0 appends a `Start` before `run_start` and logs what `append` returns:
`log.event("ledger", number, line=head)`. When its log is complete it appends the `End`. A run that is resumed from a
checkpoint appends a start that `resumes` its last one, and logs the number in the event `resumed`. A run that was
killed has no end; a `Note` says why.

A line that a killed writer or a full disk has cut off stays as it is. The next writer ends it with a newline and
continues the chain from it, and readers get a fault for it. Nothing here truncates a ledger.
"""

import json
import os
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

from benchmark.run import ledger
from benchmark.run.files import LEDGER
from benchmark.run.ledger import LONGEST, MOST, Wrong, canonical, is_cut, lines_of, open_ledger, read_all, sha256

LONGEST_NAME, LONGEST_NOTE = 255, 1000  # characters
SHOWN = 100  # faults of a ledger that are reported
LATEST = 1 << 53  # milliseconds since 1970 beyond it are not accepted as a time
SHA256 = re.compile(r"[0-9a-f]{64}")
STATUSES = ("success", "aborted")
SHIFT_SOURCE = re.compile(r"os\.urandom|registry [1-9][0-9]{0,5}")


class _Said:
    """What all events have in common."""

    @property
    def refers(self) -> int | None:
        """The number of the start that the entry refers to, if any."""
        return getattr(self, "of", None) or getattr(self, "resumes", None)


@dataclass(frozen=True)
class Start(_Said):
    """The start of a run. `run` is the name of its log file. `source`, `config` and `problem` are the digests that the
    log states as `source`, `config_digest` and `problem_digest`. `seed_commitment` is what `commitment` returns.
    `resumes` is the number of the start that this one resumes. Raises Wrong for an invalid field."""

    run: str
    source: str
    config: str
    problem: str
    seed_commitment: str
    resumes: int | None = None

    def __post_init__(self) -> None:
        _want_text("run", self.run, LONGEST_NAME)
        _want("/" not in self.run, "run", self.run, "the name of a file")
        for name in ("source", "config", "problem", "seed_commitment"):
            _want_digest(name, getattr(self, name))
        if self.resumes is not None:
            _want_number("resumes", self.resumes)


@dataclass(frozen=True)
class End(_Said):
    """The end of start `of`: its `status`, and the sha256 of its complete log. Raises Wrong for an invalid field."""

    of: int
    status: str
    log: str

    def __post_init__(self) -> None:
        _want_number("of", self.of)
        _want(self.status in STATUSES, "status", self.status, " or ".join(STATUSES))
        _want_digest("log", self.log)


@dataclass(frozen=True)
class Note(_Said):
    """A remark of a person or a tool on start `of`, for instance why it has no end or no log. Raises Wrong for a text
    that is empty, not printable, or longer than LONGEST_NOTE characters."""

    of: int
    text: str

    def __post_init__(self) -> None:
        _want_number("of", self.of)
        _want_text("text", self.text, LONGEST_NOTE)


@dataclass(frozen=True)
class Frozen(_Said):
    """The sha256 of a tuning campaign's canonical text, which is fixed from here on. Raises Wrong for anything else."""

    sha256: str

    def __post_init__(self) -> None:
        _want_digest("sha256", self.sha256)


@dataclass(frozen=True)
class Drawn(_Said):
    """The shift of a campaign, 32 bytes in hexadecimal, and its source: os.urandom, or "registry 3" for the third entry
    of the round's registry. Raises Wrong for anything else."""

    shift: str
    source: str

    def __post_init__(self) -> None:
        _want_digest("shift", self.shift)
        sound = type(self.source) is str and bool(SHIFT_SOURCE.fullmatch(self.source))
        _want(sound, "source", self.source, "os.urandom or registry <entry>")


@dataclass(frozen=True)
class Asked(_Said):
    """The point that an outside sampler proposed for trial `trial`, counted from 0. Raises Wrong for anything else."""

    point: dict[str, Any]
    trial: int

    def __post_init__(self) -> None:
        _want(type(self.point) is dict and len(self.point) <= 100, "point", self.point, "settings by name")
        _want(type(self.trial) is int and 0 <= self.trial < MOST, "trial", self.trial, f"a number below {MOST}")


Event = Start | End | Note | Frozen | Drawn | Asked
EVENTS: dict[str, type] = {"start": Start, "end": End, "note": Note, "frozen": Frozen, "drawn": Drawn, "asked": Asked}
Said = TypeVar("Said", bound=Event, covariant=True)
COMMON = {"event", "number", "previous", "time_ms"}


@dataclass(frozen=True)
class Entry(Generic[Said]):
    """An entry of a ledger: its common fields, the event itself (`said`), and the digest of its line."""

    number: int
    previous: str | None
    time_ms: int
    said: Said
    line: str


@dataclass(frozen=True)
class Fault:
    """A fault in line `line`, counted from 1. `cut` marks the beginning of an entry, as a killed writer leaves it."""

    line: int
    found: str
    wanted: str
    cut: bool = False


@dataclass(frozen=True)
class Ledger:
    """The content of a ledger. `head` is the digest of its last line, "" for an empty one."""

    entries: tuple[Entry[Event], ...]
    faults: tuple[Fault, ...]
    head: str = ""


def append(path: Path, said: Event, time_ms: int | None = None) -> tuple[int, str]:
    """Append an entry with the present time, or with `time_ms`. Return its number and the ledger's new head. Raises as
    `benchmark.run.ledger.append` does."""
    return ledger.append(path, name_of(said), asdict(said), said.refers, time_ms)


def read_ledger(path: Path) -> Ledger:
    """Return a ledger's entries and its faults. Never raises: a file that cannot be read is a fault as well.

    The entries are those of all lines that hold one, even where the chain is broken.
    """
    try:
        handle = open_ledger(path, os.O_RDONLY)
        try:
            data = read_all(handle)
        finally:
            os.close(handle)
    except OSError as error:
        return Ledger((), (Fault(1, f"no file that can be read ({error.strerror or 'an error'})", LEDGER),))
    except Wrong as wrong:
        return Ledger((), (Fault(1, wrong.found, wrong.wanted),))
    lines, unended = lines_of(data)
    entries, faults, missing = [], [], 0  # lines that were removed above, as the numbers show
    for number, line in enumerate(lines[:MOST], 1):
        try:
            entry = parse(line)
            faults += _misplaced(entry, number, number + missing, lines[number - 2] if number > 1 else None)
            missing = entry.number - number
            entries.append(entry)
        except Wrong as wrong:
            faults.append(Fault(number, wrong.found, wrong.wanted, is_cut(line)))
    if len(lines) > MOST:
        faults.append(Fault(MOST + 1, f"{len(lines)} lines", f"at most {MOST}"))
    elif unended and entries and entries[-1].line == sha256(lines[-1]):
        faults.append(Fault(len(lines), "a last line without an end", "a newline", cut=True))
    if not lines:
        faults.append(Fault(1, "nothing", "the start of a run"))
    if len(faults) > SHOWN:
        more = Fault(faults[SHOWN].line, f"{len(faults) - SHOWN} more faults from here on", "none")
        faults = [*faults[:SHOWN], more]
    return Ledger(tuple(entries), tuple(faults), sha256(lines[-1]) if lines else "")


def name_of(said: Event) -> str:
    """Return the name of an event."""
    return next(name for name, kind in EVENTS.items() if kind is type(said))


def line_of(number: int, previous: str | None, time_ms: int, said: Event) -> bytes:
    """Return an entry's line, without the newline."""
    own = {"number": number, "previous": previous, "time_ms": time_ms, "event": name_of(said)}
    return canonical({**asdict(said), **own})


def parse(line: bytes) -> Entry[Event]:
    """Return the entry in a line. Raises Wrong for a line without a valid one."""
    if len(line) > LONGEST:
        raise Wrong(f"a line of {len(line)} bytes", f"at most {LONGEST}")
    try:
        values = json.loads(line)
        sound = type(values) is dict and canonical(values) == line
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
    return Entry(values["number"], values["previous"], time_ms, said, sha256(line))


def _misplaced(entry: Entry[Event], line: int, number: int, before: bytes | None) -> list[Fault]:
    """Return the faults of an entry's place in the chain: it is in line `line`, after the line `before`, and its number
    should be `number`. A removed line gives one fault, the broken chain."""
    found, wanted = entry.previous, None if before is None else sha256(before)
    faults = []
    if found != wanted:
        faults.append(Fault(line, f"previous {found}", f"{wanted}, the sha256 of the line before"))
    elif entry.number != number:
        faults.append(Fault(line, f"number {entry.number}", f"{number}, the next one"))
    if entry.said.refers is not None and entry.said.refers >= entry.number:
        faults.append(Fault(line, f"an entry about entry {entry.said.refers}", "an earlier one"))
    return faults


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
