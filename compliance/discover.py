"""What there is to judge under a path: logs, sets of runs, submissions. Nothing outside the path is looked at,
no symbolic link is followed, and there are limits to how much is walked."""

import os
import re
import stat
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchmark.tree import SCALINGS

MOST_ENTRIES = 200_000
DEEPEST = 32
LOG = re.compile(r"result_(\d{1,9})\.txt$")
PRUNED = "pruned_results"


@dataclass(frozen=True)
class LogFile:
    """A log: its file, what findings call it, its number, and whether it was pruned from a throughput set."""

    file: Path
    name: str
    number: int | None
    pruned: bool = False


@dataclass(frozen=True)
class Set:
    """A folder of logs. `system`, `scaling` and `benchmark` are the names of its folders ("" where unknown)."""

    path: Path
    name: str
    system: str
    scaling: str
    benchmark: str
    logs: tuple[LogFile, ...]


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
    name: str  # what findings call it
    entries: tuple[Entry, ...]
    sets: tuple[Set, ...]
    cut: bool = False  # more than MOST_ENTRIES

    @property
    def org(self) -> str:
        return self.path.resolve().name

    @cached_property
    def at(self) -> dict[tuple[str, ...], Entry]:
        """The entries by their parts."""
        return {e.parts: e for e in self.entries}

    def place(self, *parts: str) -> str:
        """What findings call a path inside."""
        return "/".join((self.name.rstrip("/"), *parts))

    def under(self, *parts: str) -> list[Entry]:
        """The entries below a folder."""
        return [e for e in self.entries if e.parts[: len(parts)] == parts and len(e.parts) > len(parts)]

    def names(self, *parts: str) -> list[str]:
        """The names of a folder's direct sub-folders."""
        n = len(parts)
        return [
            e.parts[-1] for e in self.entries if len(e.parts) == n + 1 and e.parts[:n] == parts and e.kind == "folder"
        ]


@dataclass
class Found:
    """All that was found under the paths given. `missed`: (path, why) of what couldn't be looked at."""

    submissions: list[Submission] = field(default_factory=list)
    sets: list[Set] = field(default_factory=list)
    logs: list[LogFile] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)


def discover(paths: list[str]) -> Found:
    """What the paths hold. A path that can't be read, or holds nothing to judge, is in `missed`."""
    found = Found()
    for given in paths:
        path = Path(given)
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:
            found.missed.append((given, getattr(error, "strerror", None) or str(error)))
            continue
        if stat.S_ISREG(mode):
            match = LOG.match(path.name)
            found.logs.append(LogFile(path, given, int(match[1]) if match else None))
        elif stat.S_ISDIR(mode):
            before = len(found.submissions) + len(found.sets)
            _search(path, given.rstrip("/") or "/", found, DEEPEST)
            if len(found.submissions) + len(found.sets) == before:
                found.missed.append((given, "no submission, no set of runs and no log in it"))
        else:
            found.missed.append((given, "neither a file nor a folder"))
    return found


def _search(path: Path, name: str, found: Found, depth: int) -> None:
    entries, error = _scan(path)
    if error:
        found.missed.append((name, error))
    folders = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
    if _is_submission(path, folders):
        found.submissions.append(read_submission(path, name))
        return
    logs = [e.name for e in entries if LOG.match(e.name) and e.is_file(follow_symlinks=False)]
    if logs:
        found.sets.append(read_set(path, name))
        return
    if depth:
        for folder in sorted(folders):
            if not folder.startswith(".") and folder != "__pycache__":
                _search(path / folder, f"{name.rstrip('/')}/{folder}", found, depth - 1)


def _scan(path: Path) -> tuple[list[os.DirEntry], str]:
    try:
        with os.scandir(path) as entries:
            return list(entries), ""
    except OSError as error:
        return [], error.strerror or str(error)


def _is_submission(path: Path, folders: list[str]) -> bool:
    """A submission has systems/, or results/ with logs two or three levels below it."""
    if "systems" in folders and ("results" in folders or "benchmarks" in folders):
        return True
    if "results" not in folders:
        return False
    level = [path / "results"]
    for _ in range(3):
        level = [p / e.name for p in level for e in _scan(p)[0] if e.is_dir(follow_symlinks=False)][:10_000]
        if any(LOG.match(e.name) for p in level for e in _scan(p)[0]):
            return True
    return False


def read_submission(path: Path, name: str) -> Submission:
    """The listing of a submission and its sets."""
    entries, cut = _listing(path)
    folders: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        if entry.kind == "file" and entry.parts[0] == "results" and LOG.match(entry.parts[-1]):
            folders.setdefault(entry.parts[:-1], []).append(entry)
    for parts in [p for p in folders if p[-1] == PRUNED]:
        folders.setdefault(parts[:-1], []).extend(folders.pop(parts))
    bare = Submission(path, name, tuple(entries), (), cut)
    sets = [_set(bare, parts, logs) for parts, logs in sorted(folders.items())]
    return Submission(path, name, tuple(entries), tuple(sets), cut)


def _set(submission: Submission, parts: tuple[str, ...], entries: list[Entry]) -> Set:
    inner = parts[1:]
    system = inner[0] if inner else ""
    scaling = inner[1] if len(inner) > 2 else ""
    benchmark = inner[-1] if len(inner) > 1 else ""
    logs = [
        LogFile(
            submission.path.joinpath(*e.parts),
            submission.place(*e.parts),
            int(LOG.match(e.parts[-1])[1]),
            e.parts[-2] == PRUNED,
        )
        for e in entries
    ]
    return Set(submission.path.joinpath(*parts), submission.place(*parts), system, scaling, benchmark, in_order(logs))


def read_set(path: Path, name: str) -> Set:
    """A set given without its submission; its place is told by the names of the folders above it."""
    above = path.resolve().parts
    scaling = above[-2] if len(above) > 2 and above[-2] in SCALINGS else ""
    system = above[-3] if scaling and len(above) > 3 else ""
    benchmark = above[-1] if scaling else ""
    logs = []
    for folder, pruned in ((path, False), (path / PRUNED, True)):
        if pruned and folder.is_symlink():
            continue
        for entry in _scan(folder)[0]:
            match = LOG.match(entry.name)
            if match and entry.is_file(follow_symlinks=False):
                place = f"{name}/{PRUNED}/{entry.name}" if pruned else f"{name}/{entry.name}"
                logs.append(LogFile(folder / entry.name, place, int(match[1]), pruned))
    return Set(path, name, system, scaling, benchmark, in_order(logs))


def in_order(logs: list[LogFile]) -> tuple[LogFile, ...]:
    """By number, and not by text: 10 comes after 9."""
    return tuple(sorted(logs, key=lambda log: (log.pruned, log.number or 0, log.name)))


def _listing(root: Path) -> tuple[list[Entry], bool]:
    entries: list[Entry] = []
    todo: list[tuple[str, ...]] = [()]
    while todo:
        parts = todo.pop()
        scanned, error = _scan(root.joinpath(*parts))
        if error:
            entries.append(Entry(parts or (".",), "unreadable"))
        for entry in sorted(scanned, key=lambda e: e.name):
            if len(entries) >= MOST_ENTRIES:
                return entries, True
            below = (*parts, entry.name)
            kind, size = _kind(entry)
            entries.append(Entry(below, kind, size))
            if kind == "folder" and len(below) < DEEPEST:
                todo.append(below)
            elif kind == "folder":
                entries.append(Entry((*below, "..."), "unreadable"))
    return entries, False


def _kind(entry: os.DirEntry) -> tuple[str, int]:
    try:
        mode = entry.stat(follow_symlinks=False)
    except OSError:
        return "unreadable", 0
    if stat.S_ISLNK(mode.st_mode):
        return "link", 0
    if stat.S_ISDIR(mode.st_mode):
        return "folder", 0
    return ("file", mode.st_size) if stat.S_ISREG(mode.st_mode) else ("special", 0)
