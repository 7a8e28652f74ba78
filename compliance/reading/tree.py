"""List what lies in a submission: files and folders, sets of runs, and logs in no set.

No symbolic link is followed, and limits bound how much is walked.
"""

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from benchmark.log import Event, read_log
from benchmark.run.files import LEDGER
from benchmark.tree import CONFIRMATION, SCALINGS, SUPERSEDED, TUNING
from benchmark.tuning.campaign import FILE as CAMPAIGN
from compliance.finding import Fault
from compliance.reading.power import is_power
from compliance.reading.values import grouped
from compliance.rule import CONFIRMATION as RUNS_WITH_WINNER
from compliance.rule import TRIAL

MOST_ENTRIES = 200_000
DEEPEST = 32
MOST_ODD = 100_000  # lines with a log's token in a submission's other files that are searched for events
LOG = re.compile(r"result_([0-9]{1,9})\.txt\Z")
PRUNED, WEAK, RESULTS = "pruned_results", "weak", "results"


@dataclass(frozen=True)
class LogFile:
    """A log: its file, its path as findings give it, its number, and whether it was pruned from a throughput set."""

    file: Path
    name: str
    number: int | None
    pruned: bool = False


@dataclass(frozen=True)
class Place:
    """A set of runs by the names of the folders above it; "" for what they don't say. `home` is the folder of the
    submission, or else of the set."""

    round: str
    org: str
    system: str
    scaling: str
    benchmark: str
    home: Path
    campaign: str = ""  # the campaign of tuning to which the runs belong, "" for none
    confirmation: bool = False  # whether they confirm its winner; else they are its trials


@dataclass(frozen=True)
class Set:
    """A folder of logs, found at or below the path that was `given`."""

    path: Path
    name: str
    given: Path
    place: Place
    logs: tuple[LogFile, ...]
    superseded: tuple[LogFile, ...] = ()  # logs of runs that were repeated; they do not count

    @property
    def system(self) -> str:
        return self.place.system

    @property
    def scaling(self) -> str:
        return self.place.scaling

    @property
    def benchmark(self) -> str:
        return self.place.benchmark

    @property
    def trials(self) -> bool:
        """Whether its logs are trials of a campaign of tuning."""
        return bool(self.place.campaign) and not self.place.confirmation

    @property
    def kind(self) -> frozenset[str]:
        """What its folder says that its logs are, of the kinds of `compliance/rule.py`; nothing for plain runs."""
        return TRIAL if self.trials else RUNS_WITH_WINNER if self.place.confirmation else frozenset()

    @property
    def files(self) -> tuple[str, ...]:
        """The paths, as findings give them, of the folder, its ledger and, if it has trials, its campaign."""
        return (self.name, f"{self.name}/{LEDGER}", *([f"{self.name}/{CAMPAIGN}"] if self.trials else ()))


@dataclass(frozen=True)
class Entry:
    """A file or folder below a submission. `kind`: file, folder, link, special, unreadable."""

    parts: tuple[str, ...]
    kind: str
    size: int = 0


@dataclass(frozen=True)
class Submission:
    """A submission: its listing, and the sets found in it."""

    path: Path
    name: str  # its path as findings give it
    given: Path  # the given path at or below which it was found
    entries: tuple[Entry, ...]
    sets: tuple[Set, ...]
    cut: bool = False  # whether it has more than MOST_ENTRIES, so that the listing is incomplete

    @property
    def org(self) -> str:
        return self.path.resolve().name

    @cached_property
    def at(self) -> dict[tuple[str, ...], Entry]:
        """The entries by the parts of their paths."""
        return {e.parts: e for e in self.entries}

    def place(self, *parts: str) -> str:
        """Return a path inside the submission as findings give it."""
        return "/".join((self.name.rstrip("/"), *parts))

    def fault(self, parts: tuple[str, ...], found: str, wanted: str, line: int = 1, severity: str = "") -> Fault:
        """Return a fault of a file or folder inside the submission."""
        return Fault(line, found, wanted, path=self.place(*parts), severity=severity)

    def names(self, *parts: str) -> list[str]:
        """Return the names of a folder's direct subfolders."""
        return [entry.parts[-1] for entry in self.entries if entry.kind == "folder" and entry.parts[:-1] == parts]

    @cached_property
    def prepared(self) -> bool:
        """Whether it describes systems, but has no files of results or source yet."""
        files = [entry.parts for entry in self.entries if entry.kind != "folder"]
        described = any(len(parts) == 2 and parts[0] == "systems" and parts[1].endswith(".json") for parts in files)
        return described and not any(parts[0] in (RESULTS, "source", "benchmarks") for parts in files)

    @cached_property
    def strays(self) -> list[tuple[Entry, int]]:
        """(file, line of its first event) of every file with log lines that is neither a log of a set nor one of a
        power meter."""
        found: list[tuple[Entry, int]] = []
        held, room = {log.file for runs in self.sets for log in (*runs.logs, *runs.superseded)}, MOST_ODD
        for entry in self.entries:
            file = self.path.joinpath(*entry.parts)
            if entry.kind == "file" and file not in held and not is_power(entry.parts):
                line, looked = first_event(file, room)
                room -= looked
                if line:
                    found.append((entry, line))
        return found


def first_event(file: Path, most: int) -> tuple[int, int]:
    """Return the line of a file's first event, 0 if it has none or can't be read, and how many other lines with the
    token were searched. The first line of more than `most` such lines counts as an event."""
    first = looked = 0
    try:
        for item in read_log(file):
            first = first or item.line
            if type(item) is Event:
                return item.line, looked
            looked += 1
            if looked > most:
                return first, looked
    except OSError:
        pass
    return 0, looked


def read_submission(path: Path, name: str, given: Path) -> Submission:
    """List a submission and its sets."""
    entries, cut = _listing(path)
    found = Submission(path, name, given, tuple(entries), (), cut)
    sets = [
        _set(path.joinpath(*parts), found.place(*parts), given, place_in(path, parts[1:]), len(parts), *logs)
        for parts, logs in _by_set(entries).items()
    ]
    return replace(found, sets=tuple(sets))


def read_set(path: Path, name: str, given: Path) -> Set:
    """Read a set that was given without its submission. The names of the folders above it give its place."""
    place = place_of(path)
    above = (RESULTS, place.system, place.scaling, place.benchmark)
    entries = [replace(entry, parts=above + entry.parts) for entry in _listing(path)[0]]
    return _set(path, name, given, place, len(above), *_by_set(entries).get(above, ([], [])))


def _by_set(entries: Iterable[Entry]) -> dict[tuple[str, ...], tuple[list[Entry], list[Entry]]]:
    """Return the logs and the superseded logs of each set, by the parts of its folder's path in a submission."""
    logs = (e for e in entries if e.kind == "file" and e.parts[0] == RESULTS and LOG.match(e.parts[-1]))
    folders = grouped(logs, lambda entry: entry.parts[:-1])
    for parts in [p for p in folders if p[-1] == PRUNED]:
        pruned = folders.pop(parts)
        if len(parts) == 5 and parts[2] == WEAK:  # in any other set, pruned logs are strays
            folders.setdefault(parts[:-1], []).extend(pruned)
    aside: dict[tuple[str, ...], list[Entry]] = {}
    for parts in [p for p in folders if len(p) > 2 and p[-2] == SUPERSEDED]:
        if parts[:-2] in folders:  # there is such a set
            aside.setdefault(parts[:-2], []).extend(folders.pop(parts))
    return {parts: (some, aside.get(parts, [])) for parts, some in sorted(folders.items())}


def _set(path: Path, name: str, given: Path, place: Place, depth: int, *entries: list[Entry]) -> Set:
    """Return a set. `entries` are its logs and its superseded logs, whose paths have `depth` parts above the set."""

    def log(inside: tuple[str, ...]) -> LogFile:
        return log_file(path.joinpath(*inside), "/".join((name, *inside)), PRUNED in inside)

    logs, aside = (in_order([log(entry.parts[depth:]) for entry in some]) for some in entries)
    return Set(path, name, given, place, logs, aside)


def place_in(home: Path, inner: tuple[str, ...]) -> Place:
    """Return the place of a set in the submission at `home` by the names of its path below results/:
    <system>/<benchmark>, <system>/<scaling>/<benchmark>, or those of a campaign of tuning."""
    above, tuning = home.resolve(), is_tuning(inner)
    return Place(
        round=above.parent.name,
        org=above.name,
        system=inner[0] if inner else "",
        scaling=inner[1] if len(inner) > 2 else "",
        benchmark=inner[2 if tuning else -1] if len(inner) > 1 else "",
        home=home,
        campaign=inner[3] if tuning else "",
        confirmation=tuning and len(inner) == 5,
    )


def is_tuning(inner: tuple[str, ...]) -> bool:
    """Return whether the parts of a path below results/ are those of a campaign of tuning, or of its confirmation."""
    within = len(inner) == 4 or (len(inner) == 5 and inner[4] == CONFIRMATION)
    return within and inner[1] == TUNING and inner[3] != CONFIRMATION


def place_of(folder: Path) -> Place:
    """Return the place of a set that was given without its submission, by the names of the folders above it."""
    folder = folder.resolve()
    for depth in (5, 4, 3, 2):  # of confirmation runs, trials, sets with a scaling, and without
        inner = folder.parts[-depth:]
        laid = is_tuning(inner) or depth == 2 or (depth == 3 and inner[1] in SCALINGS)
        if laid and folder.parts[-depth - 1 : -depth] == (RESULTS,):
            return place_in(folder.parents[depth], inner)
    if folder.parent.name in SCALINGS:
        return Place("", "", folder.parent.parent.name, folder.parent.name, folder.name, folder)
    return Place("", "", "", "", "", folder)


def in_order(logs: list[LogFile]) -> tuple[LogFile, ...]:
    """Return the logs in the order of their numbers; pruned ones come last."""
    return tuple(sorted(logs, key=lambda log: (log.pruned, log.number or 0, log.name)))


def log_file(path: Path, name: str, pruned: bool = False) -> LogFile:
    """Return the log at a path, which findings call `name`."""
    match = LOG.match(path.name)
    return LogFile(path, name, int(match[1]) if match else None, pruned)


def scan(path: Path) -> tuple[list[os.DirEntry[str]], str]:
    """Return (up to MOST_ENTRIES + 1 entries of a folder, why it can't be read or "")."""
    try:
        with os.scandir(path) as entries:
            return list(islice(entries, MOST_ENTRIES + 1)), ""
    except OSError as error:
        return [], error.strerror or str(error)


def _listing(root: Path) -> tuple[list[Entry], bool]:
    entries: list[Entry] = []
    todo: list[tuple[str, ...]] = [()]
    while todo:
        parts = todo.pop()
        scanned, error = scan(root.joinpath(*parts))
        if error:
            entries.append(Entry(parts or (".",), "unreadable"))
        for entry in sorted(scanned, key=lambda e: e.name):
            if len(entries) >= MOST_ENTRIES:
                return entries, True
            below = (*parts, entry.name)
            kind, size = kind_of(entry)
            entries.append(Entry(below, kind, size))
            if kind == "folder" and len(below) < DEEPEST:
                todo.append(below)
            elif kind == "folder":
                entries.append(Entry((*below, "..."), "unreadable"))
    return entries, False


def kind_of(entry: os.DirEntry[str] | Path) -> tuple[str, int]:
    """Return the kind of an `Entry` and, of a file, its bytes. No link is followed."""
    try:
        mode = entry.stat(follow_symlinks=False)
    except OSError:
        return "unreadable", 0
    if stat.S_ISLNK(mode.st_mode):
        return "link", 0
    if stat.S_ISDIR(mode.st_mode):
        return "folder", 0
    return ("file", mode.st_size) if stat.S_ISREG(mode.st_mode) else ("special", 0)
