"""What lies in the folder that names a round's edition, above the submissions: frozen.txt and registry.yaml.

`results/freeze.py` writes frozen.txt, with a line for each file: sha256, bytes, path. The registry assigns seeds.
"""

import functools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmark.log import open_regular
from benchmark.run.assigned import SOURCE
from benchmark.run.files import WEIGHTS
from compliance.reading.digest import sha256
from compliance.reading.edition import Target, round_folder
from compliance.reading.run import Run
from compliance.reading.tree import Set, Submission
from compliance.reading.values import grouped
from rules.current import OURS, version
from rules.edition import Edition
from rules.names import folded
from rules.registry import NAME as REGISTRY
from rules.registry import Damaged, Entry, read_registry

NAME = "frozen.txt"
LARGEST = 64 << 20  # bytes of the list
WEIGHED = re.compile(rf"^([^/]+/)?results/.*/{WEIGHTS}/[^/]+$")  # a file of final weights, of a round or a submission
LINE = re.compile(r"([0-9a-f]{64}) (\d{1,15}) ([^/\s].*)")
Files = Mapping[str, tuple[str, int]]  # path -> sha256 and bytes


def published_order(target: Target, edition: Edition) -> tuple[int, ...]:
    """Return a key that sorts targets by the publication of their rounds: frozen rounds first, then by the edition,
    those of MLPerf HPC before ours. Equal keys leave open which came first."""
    folder = round_folder(target, edition.name)
    frozen = folder is not None and os.path.lexists(folder / NAME)
    ours = version(edition.name) if OURS.fullmatch(edition.name) else (0, 0)
    return (not frozen, *ours, edition.limits.year)


def read_frozen(folder: Path) -> Files | None:
    """Return the files of a round as they were frozen; None if the round is not frozen. Raises ValueError, which names
    the line, for a damaged list."""
    path = folder / NAME
    if not os.path.lexists(path):
        return None
    try:
        stamp = path.stat()
        return _parsed(path, stamp.st_mtime_ns, stamp.st_size)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None


@functools.lru_cache(maxsize=8)
def _parsed(path: Path, _changed: int, size: int) -> Files:
    if size > LARGEST:
        raise ValueError(f"{path}: found {size} bytes, wanted {LARGEST} at most")
    with open_regular(path) as file:
        text = file.read(LARGEST).decode(errors="replace")
    found: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = LINE.fullmatch(line)
        if not match or match[3] in found:
            raise ValueError(f"{path}:{number}: found {line[:80]!r}, wanted a sha256, a number of bytes and a new path")
        found[match[3]] = (match[1], int(match[2]))
    return found


def changes(files: Mapping[str, tuple[Path, int]], frozen: Files) -> Iterator[tuple[str, str]]:
    """Yield (path, "added", "absent" or "changed") of each file that differs from the frozen list. `files` maps a path
    to the file and its bytes. A file of another size is not read. Files of weights may come and go: logs, which are
    frozen, have their digests."""
    for path in sorted(path for path in {*files, *frozen} if not WEIGHED.search(path)):
        if path not in frozen:
            yield path, "added"
        elif path not in files:
            yield path, "absent"
        elif files[path][1] != frozen[path][1] or sha256(files[path][0]) != frozen[path][0]:
            yield path, "changed"


@dataclass(frozen=True)
class RoundRegistry:
    """A registry: its path as findings give it, and its entries, or what is wrong with it."""

    path: str
    entries: tuple[Entry, ...]
    damage: Damaged | None = None

    def entry(self, number: int | None) -> Entry | None:
        """Return the entry of that number, None if there is none."""
        return self.entries[number - 1] if number is not None and 1 <= number <= len(self.entries) else None

    def fitting(self, key: tuple[str, ...]) -> list[Entry]:
        """Return the entries of a key: see `key_of`."""
        return self._by_key.get(key, [])

    @cached_property
    def _by_key(self) -> dict[tuple[str, ...], list[Entry]]:
        return grouped(self.entries, lambda entry: entry.key)

    def of_organisation(self, name: str) -> list[Entry]:
        """Return the entries of an organisation, however it spells its name."""
        return [entry for entry in self.entries if folded(entry.organisation) == folded(name)]


def key_of(organisation: str, system: str, benchmark: str, problem: str | None) -> tuple[str, ...]:
    """Return the key that `Request.key` gives: who trains what on which system."""
    return (folded(organisation), folded(system), benchmark, problem or "")


def names_entry(run: Run) -> bool:
    """Return whether a run says that its seed is from the registry."""
    return run.origin is not None and run.origin.source == SOURCE


def registry_of(target: Submission | Set, edition: Edition) -> RoundRegistry | None:
    """Return the registry of the round of a submission or set; None if there is none, or the edition has none."""
    folder = round_folder(target, edition.name) if edition.limits.registry != "none" else None
    path = folder / REGISTRY if folder else None
    if path is None or not os.path.lexists(path):
        return None
    stamp = path.lstat()
    return _registry(path, _shown(target, path.parent), edition.name, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache
def _registry(path: Path, shown: str, edition: str, _changed: int, _size: int) -> RoundRegistry:
    try:
        return RoundRegistry(shown, tuple(read_registry(path, edition).entries))
    except Damaged as damage:
        return RoundRegistry(shown, (), damage)


def _shown(target: Submission | Set, folder: Path) -> str:
    """Return the path of a registry as findings give it: relative like the given path, if that leads to it."""
    deeper = len(target.path.resolve().parts) - len(folder.parts)
    above = "/".join(target.name.rstrip("/").split("/")[:-deeper])
    return f"{above}/{REGISTRY}" if above and Path(above).resolve() == folder else str(folder / REGISTRY)
