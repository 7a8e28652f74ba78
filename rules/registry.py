"""The registry of a round, which assigns the seeds of its runs.

An entrant registers who trains what on which system, with the digests of source and settings. The organisers then draw
a random number, the nonce, and append both to the registry as one entry. The seeds follow from the whole entry. So
nobody knows them before source and settings are fixed, and nobody chooses them.

The file is registry.yaml in the folder of the round: a YAML list with one entry a line, "- " and the entry as JSON with
sorted names. Entries are only appended. Each has the digest of the one before (the sha256 of its JSON text), so that a
change of an earlier entry changes all later ones. Whoever has recorded the digest of the last entry, the head, can
detect later that the registry was rewritten.

The seed of run i (result_<i>.txt) is 2^62 + x, where x is the first 62 bits of the sha256 of "<digest of the entry> i".
Every such seed has 63 bits, so that none looks small or like a clock.

A run with an entry uses `entry.seed(i)` on all ranks, and logs it with the metadata `source: registry` and
`entry: <number>`. Before `run_start` it compares its organisation, system, benchmark, problem, source and config digest
with the entry's, and ends if one differs. A resumed run keeps its seed. A run reads one entry, by
`benchmark/run/assigned.py`.
"""

import datetime
import hashlib
import json
import re
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.log import open_regular
from benchmark.run.assigned import assigned_seed
from rules.names import folded

NAME = "registry.yaml"
FIRST = "0" * 64  # in place of a digest before the first entry
TIME = "%Y-%m-%dT%H:%M:%SZ"
LARGEST = 8 << 20  # bytes of a registry
LONGEST = 6000  # bytes of a line
MOST = 10_000  # entries
SHA256 = re.compile(r"[0-9a-f]{64}")
PLAIN = re.compile(r"[^\W_][\w .+-]{0,99}")  # a name: letters and digits; after the first also _ . + - and spaces
DIGESTS, NAMES = ("source", "config"), ("organisation", "system", "benchmark", "problem")


class Wrong(ValueError):
    """A malformed request or entry: what was found and what is wanted."""

    def __init__(self, found: str, wanted: str, where: str = ""):
        super().__init__(f"{where}found {found}, wanted {wanted}")
        self.found, self.wanted = found, wanted


class Damaged(Wrong):
    """A damaged registry file: what is wrong, and in which line, from 1."""

    def __init__(self, path: Path, line: int, found: str, wanted: str):
        super().__init__(found, wanted, f"{path}:{line}: ")
        self.line = line


@dataclass(frozen=True)
class Request:
    """What an entrant registers. `source` and `config` are the digests that the runs will log as `source` and
    `config_digest`. Raises Wrong for an invalid name or sha256."""

    organisation: str
    system: str
    benchmark: str
    problem: str
    source: str
    config: str

    def __post_init__(self) -> None:
        for name in NAMES:
            want_text(self, name, PLAIN, "a name of up to 100 letters, digits, spaces and _ . + -")
        for name in DIGESTS:
            want_text(self, name, SHA256, "a sha256 in hexadecimal")

    @cached_property
    def text(self) -> str:
        """The request as JSON on one line with sorted names, as an entrant sends it."""
        return canonical(asdict(self))

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Who trains what on which system. Case and punctuation of names don't count."""
        return (folded(self.organisation), folded(self.system), self.benchmark, self.problem)

    @property
    def title(self) -> str:
        """The key in words."""
        return f"{self.organisation}, {self.system}, {self.benchmark}, {self.problem}"


@dataclass(frozen=True)
class Entry(Request):
    """An entry: a request, and what the organisers add. `entry` counts from 1, `before` is the digest of the entry
    before, `drawn` the time in UTC when the nonce was drawn."""

    entry: int
    before: str
    edition: str
    drawn: str
    nonce: str

    def __post_init__(self) -> None:
        super().__post_init__()
        want_number(self, "entry", MOST)
        for name in ("before", "nonce"):
            want_text(self, name, SHA256, "64 hexadecimal digits")
        want_text(self, "edition", PLAIN, "the name of an edition")
        _time(self.drawn)

    @cached_property
    def digest(self) -> str:
        """The sha256 of the entry's JSON text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def drawn_ms(self) -> int:
        """The time when the nonce was drawn, in milliseconds since 1970, to the second."""
        return int(_time(self.drawn).timestamp() * 1000)

    def seed(self, run: int) -> int:
        """Return the seed of run `run`, from 0: at least 2^62, less than 2^63."""
        return assigned_seed(self.digest, run)


class Registry:
    """The entries of a round's registry, in order, each chained to the one before."""

    def __init__(self, edition: str):
        self.edition, self.entries = edition, list[Entry]()
        self._nonces, self._requests = set[str](), dict[tuple[str, ...], int]()

    @property
    def head(self) -> str:
        """The digest of the last entry, which depends on all of them."""
        return self.entries[-1].digest if self.entries else FIRST

    def draw(self, request: Request, drawn: str, nonce: str) -> Entry:
        """Add an entry for a request and return it. Raises Wrong as `add` does."""
        added = {"before": self.head, "edition": self.edition, "drawn": drawn, "nonce": nonce}
        return self.add(Entry(**asdict(request), entry=len(self.entries) + 1, **added))

    def add(self, entry: Entry) -> Entry:
        """Add an entry and return it.

        Raises Wrong unless it continues the chain, and for a request that has an entry already: a second draw for the
        same source and settings would be a choice between seeds.
        """
        for name, value in (("entry", len(self.entries) + 1), ("before", self.head), ("edition", self.edition)):
            if getattr(entry, name) != value:
                raise Wrong(f"{name} {getattr(entry, name)!r:.80}", repr(value))
        if self.entries and entry.drawn < self.entries[-1].drawn:
            raise Wrong(f"drawn {entry.drawn}", f"no time before the last entry's, {self.entries[-1].drawn}")
        if entry.nonce in self._nonces:
            raise Wrong("the nonce of another entry", "one of its own")
        request = (*entry.key, entry.source, entry.config)
        if request in self._requests:
            raise Wrong(f"{entry.title} with the source and settings of entry {self._requests[request]}", "others")
        self._nonces.add(entry.nonce)
        self._requests[request] = entry.entry
        self.entries.append(entry)
        return entry

    @property
    def text(self) -> str:
        """The text of its file."""
        return "".join(f"- {entry.text}\n" for entry in self.entries)


def read_registry(path: Path, edition: str) -> Registry:
    """Read the registry of a round with that edition.

    Raises Damaged for the first wrong line, and for a file that can't be read.
    """
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Damaged(path, 1, f"no file that can be read ({error.strerror or 'no regular file'})", NAME) from None
    if len(data) > LARGEST:
        raise Damaged(path, 1, f"more than {LARGEST} bytes", f"at most {LARGEST}")
    *lines, rest = data.split(b"\n")
    if rest:
        raise Damaged(path, len(lines) + 1, "a last line without an end", "whole lines")
    registry = Registry(edition)
    for number, line in enumerate(lines, 1):
        try:
            registry.add(_entry(line))
        except Wrong as wrong:
            raise Damaged(path, number, wrong.found, wrong.wanted) from None
    return registry


def parse_request(text: str) -> Request:
    """Parse the line that an entrant sent. Raises Wrong for a malformed one."""
    values = mapping(text)
    want_fields(values, Request)
    return Request(**values)


def now() -> str:
    """Return the current time in the form of entries."""
    return datetime.datetime.now(datetime.UTC).strftime(TIME)


def canonical(values: dict[str, Any]) -> str:
    """Return a mapping as JSON in ASCII on one line with sorted names. Digests are computed from this text."""
    return json.dumps(values, sort_keys=True)


def _entry(line: bytes) -> Entry:
    if len(line) > LONGEST:
        raise Wrong(f"a line of {len(line)} bytes", f"at most {LONGEST}")
    if not line.startswith(b"- "):
        raise Wrong(repr(line[:40]), "'- ' and an entry")
    text = line[2:].decode("ascii", "backslashreplace")
    values = mapping(text)
    want_fields(values, Entry)
    entry = Entry(**values)
    if entry.text != text:
        raise Wrong("an entry in another form", "JSON with sorted names and nothing else")
    return entry


def mapping(text: str, longest: int = LONGEST) -> dict[str, Any]:
    """Return a mapping in JSON. Raises Wrong for any other text, and for a longer one."""
    try:
        values = json.loads(text) if len(text) <= longest else None
    except (ValueError, RecursionError):
        values = None
    if type(values) is not dict:
        raise Wrong(repr(text[:40]), f"a mapping in JSON of at most {longest} characters")
    return values


def want_fields(values: dict[str, Any], kind: type) -> None:
    """Raise Wrong unless a mapping has exactly the fields of a dataclass."""
    names = {f.name for f in fields(kind)}
    if odd := sorted(values.keys() ^ names):
        raise Wrong(f"{'no field' if odd[0] in names else 'the field'} {odd[0]!r:.80}", ", ".join(sorted(names)))


def want_text(values: object, name: str, pattern: re.Pattern[str], wanted: str) -> None:
    """Raise Wrong unless a field is a text of that pattern."""
    value = getattr(values, name)
    if type(value) is not str or not pattern.fullmatch(value):
        raise Wrong(f"{name} {value!r:.80}", wanted)


def want_number(values: object, name: str, most: int) -> None:
    """Raise Wrong unless a field is a whole number from 1 to `most`."""
    value = getattr(values, name)
    if type(value) is not int or not 1 <= value <= most:
        raise Wrong(f"{name} {value!r:.80}", f"a number from 1 to {most}")


def _time(text: str) -> datetime.datetime:
    """Return when a nonce was drawn, a time in UTC. Raises Wrong for anything but a text in that form."""
    try:
        time = datetime.datetime.strptime(text, TIME).replace(tzinfo=datetime.UTC)
    except (TypeError, ValueError):
        time = None
    if time is None or time.strftime(TIME) != text or time.year < 1970:
        raise Wrong(f"drawn {text!r:.80}", "a time as 2026-01-31T12:00:00Z")
    return time
