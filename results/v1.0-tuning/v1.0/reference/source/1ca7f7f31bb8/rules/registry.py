"""The registry of a round: which seeds its runs must use.

An entrant registers who trains what on which system, with the digests of source and settings. The organisers then draw
a random number, the nonce, and append both to the registry as one entry. The seeds of the entry follow from all of it,
so that nobody knows them before source and settings are fixed, and nobody chooses them.

The file is registry.yaml in the folder of the round: a YAML list with one entry a line, "- " and the entry as JSON with
sorted names. Entries are only ever appended. Each has the digest of the one before, the sha256 of its JSON text, so
that no earlier entry can be changed without changing all that come after it. The digest of the last entry, the head,
stands for the whole registry: who has noted it can tell later whether the registry was rewritten.

The seed of run i (result_<i>.txt) is 2^62 + x, where x is the first 62 bits of the sha256 of "<digest of the entry> i".
Every such seed has 63 bits, so that none looks small or like a clock.

How a run gets its seed. Rank 0 reads the registry with `read_registry(path, edition)` and takes the entry of its
number, `registry.entries[number - 1]`. The seed of all ranks is `entry.seed(i)` in place of one that the run draws.
Before `run_start` the run holds its own organisation, system, benchmark, problem, source digest and config digest
against the entry's, as the log has them under `submission_org`, `submission_platform`, `submission_benchmark`,
`problem`, `source` and `config_digest`, and ends if one differs. It logs `seed` with the metadata `source: registry`
and `entry: <number>`. A run that is resumed keeps its seed. This module is imported by every run, with an entry or
without, so that the log from which an entrant registers names the same files.
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
from rules.names import folded

NAME = "registry.yaml"
SOURCE = "registry"  # what a log's seed says of where it comes from
FIRST = "0" * 64  # stands for the digest of the entry before the first
TIME = "%Y-%m-%dT%H:%M:%SZ"
LARGEST = 8 << 20  # bytes of a registry
LONGEST = 6000  # bytes of a line
MOST = 10_000  # entries
SHA256 = re.compile(r"[0-9a-f]{64}")
PLAIN = re.compile(r"[^\W_][\w .+-]{0,99}")  # a name: letters, digits, and _ . + - or spaces behind the first
DIGESTS, NAMES = ("source", "config"), ("organisation", "system", "benchmark", "problem")


class Wrong(ValueError):
    """What is wrong with a request or an entry: what was found and what was wanted."""

    def __init__(self, found: str, wanted: str, where: str = ""):
        super().__init__(f"{where}found {found}, wanted {wanted}")
        self.found, self.wanted = found, wanted


class Damaged(Wrong):
    """What is wrong with the file of a registry, and in which line, from 1."""

    def __init__(self, path: Path, line: int, found: str, wanted: str):
        super().__init__(found, wanted, f"{path}:{line}: ")
        self.line = line


@dataclass(frozen=True)
class Request:
    """What an entrant registers. `source` and `config` are the digests that its runs will log as `source` and
    `config_digest`. Raises Wrong for a field that is no name or no sha256 in hexadecimal."""

    organisation: str
    system: str
    benchmark: str
    problem: str
    source: str
    config: str

    def __post_init__(self):
        for name in NAMES:
            _want(self, name, PLAIN, "a name of up to 100 letters, digits, spaces and _ . + -")
        for name in DIGESTS:
            _want(self, name, SHA256, "a sha256 in hexadecimal")

    @cached_property
    def text(self) -> str:
        """As JSON on one line, names sorted: what an entrant sends."""
        return canonical(asdict(self))

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Who trains what on which system. Names that differ by case or punctuation alone are the same."""
        return (folded(self.organisation), folded(self.system), self.benchmark, self.problem)

    @property
    def title(self) -> str:
        """The same in words."""
        return f"{self.organisation}, {self.system}, {self.benchmark}, {self.problem}"


@dataclass(frozen=True)
class Entry(Request):
    """An entry: a request, and what the organisers added. `entry` counts from 1, `before` is the digest of the entry
    before, `drawn` when the nonce was drawn, in UTC."""

    entry: int
    before: str
    edition: str
    drawn: str
    nonce: str

    def __post_init__(self):
        super().__post_init__()
        if type(self.entry) is not int or not 1 <= self.entry <= MOST:
            raise Wrong(f"entry {self.entry!r:.80}", f"a number from 1 to {MOST}")
        for name in ("before", "nonce"):
            _want(self, name, SHA256, "64 hexadecimal digits")
        _want(self, "edition", PLAIN, "the name of an edition")
        if type(self.drawn) is not str or _time(self.drawn) is None:
            raise Wrong(f"drawn {self.drawn!r:.80}", "a time as 2026-01-31T12:00:00Z")

    @cached_property
    def digest(self) -> str:
        """sha256 of the entry's JSON text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def drawn_ms(self) -> int:
        """When the nonce was drawn, milliseconds since 1970, to the second."""
        return int(_time(self.drawn).timestamp() * 1000)

    def seed(self, run: int) -> int:
        """The seed of run `run`, from 0: at least 2^62, less than 2^63."""
        total = hashlib.sha256(f"{self.digest} {run}".encode()).digest()
        return (1 << 62) + (int.from_bytes(total[:8], "big") >> 2)


class Registry:
    """The entries of a round's registry, in order; each one that is added follows on the one before."""

    def __init__(self, edition: str):
        self.edition, self.entries = edition, list[Entry]()
        self._nonces, self._requests = set[str](), dict[tuple, int]()

    @property
    def head(self) -> str:
        """The digest of the last entry, which stands for all of them."""
        return self.entries[-1].digest if self.entries else FIRST

    def draw(self, request: Request, drawn: str, nonce: str) -> Entry:
        """Adds an entry for a request. Raises Wrong as `add` does."""
        number = len(self.entries) + 1
        added = {"entry": number, "before": self.head, "edition": self.edition, "drawn": drawn, "nonce": nonce}
        return self.add(Entry(**asdict(request), **added))

    def add(self, entry: Entry) -> Entry:
        """Adds an entry.

        Raises Wrong unless it follows on the last one, and for a request that has an entry already: a second draw for
        the same source and settings would be a choice between seeds.
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
        """What its file holds."""
        return "".join(f"- {entry.text}\n" for entry in self.entries)


def read_registry(path: Path, edition: str) -> Registry:
    """The registry of a round with that edition.

    Raises Damaged for the first line that is not as it should be, or a file that cannot be read.
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
    """The line that an entrant sent. Raises Wrong for one that holds no request."""
    return Request(**_fields(text, Request))


def now() -> str:
    """The time, as entries have it."""
    return datetime.datetime.now(datetime.UTC).strftime(TIME)


def canonical(values: dict[str, Any]) -> str:
    """A mapping as JSON in ASCII on one line, names sorted: the text that digests are of."""
    return json.dumps(values, sort_keys=True)


def _entry(line: bytes) -> Entry:
    if len(line) > LONGEST:
        raise Wrong(f"a line of {len(line)} bytes", f"at most {LONGEST}")
    if not line.startswith(b"- "):
        raise Wrong(repr(line[:40]), "'- ' and an entry")
    text = line[2:].decode("ascii", "backslashreplace")
    entry = Entry(**_fields(text, Entry))
    if entry.text != text:
        raise Wrong("an entry in another form", "JSON with sorted names and nothing else")
    return entry


def _fields(text: str, kind: type) -> dict[str, Any]:
    """The fields of a mapping in JSON. Raises Wrong unless they are exactly those of `kind`."""
    try:
        values = json.loads(text) if len(text) <= LONGEST else None
    except (ValueError, RecursionError):
        values = None
    if type(values) is not dict:
        raise Wrong(repr(text[:40]), f"a mapping in JSON of at most {LONGEST} characters")
    names = {f.name for f in fields(kind)}
    if odd := sorted(values.keys() ^ names):
        raise Wrong(f"{'no field' if odd[0] in names else 'the field'} {odd[0]!r:.80}", ", ".join(sorted(names)))
    return values


def _want(values: Request, name: str, pattern: re.Pattern, wanted: str) -> None:
    value = getattr(values, name)
    if type(value) is not str or not pattern.fullmatch(value):
        raise Wrong(f"{name} {value!r:.80}", wanted)


def _time(text: str) -> datetime.datetime | None:
    """A time in UTC; None of text in another form."""
    try:
        time = datetime.datetime.strptime(text, TIME).replace(tzinfo=datetime.UTC)
    except ValueError:
        return None
    return time if time.strftime(TIME) == text and time.year >= 1970 else None
