"""Read the registry of a round: registry.yaml in the folder that names the round's edition, above the submissions."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmark.run.assigned import SOURCE
from compliance.reading.edition import round_folder
from compliance.reading.run import Run
from compliance.reading.tree import Set, Submission
from rules.edition import Edition
from rules.names import folded
from rules.registry import NAME, Damaged, Entry, read_registry


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
        found: dict[tuple[str, ...], list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.key, []).append(entry)
        return found

    def of_organisation(self, name: str) -> list[Entry]:
        """Return the entries of an organisation, however it spells its name."""
        return [entry for entry in self.entries if folded(entry.organisation) == folded(name)]


class Registries:
    """The registries of all rounds that are judged together, each read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[Path, str], RoundRegistry | None] = {}

    def of(self, target: Submission | Set, edition: Edition) -> RoundRegistry | None:
        """Return the registry of the round of a submission or set; None if there is none, or the edition has none."""
        folder = round_folder(target, edition.name) if edition.limits.registry != "none" else None
        if folder is None:
            return None
        if (folder, edition.name) not in self._read:
            self._read[folder, edition.name] = _read(folder / NAME, _shown(target, folder), edition.name)
        return self._read[folder, edition.name]


def key_of(organisation: str, system: str, benchmark: str, problem: str | None) -> tuple[str, ...]:
    """Return the key that `Request.key` gives: who trains what on which system."""
    return (folded(organisation), folded(system), benchmark, problem or "")


def names_entry(run: Run) -> bool:
    """Return whether a run says that its seed is from the registry."""
    return run.origin is not None and run.origin.source == SOURCE


def _read(path: Path, shown: str, edition: str) -> RoundRegistry | None:
    if not os.path.lexists(path):
        return None
    try:
        return RoundRegistry(shown, tuple(read_registry(path, edition).entries))
    except Damaged as damage:
        return RoundRegistry(shown, (), damage)


def _shown(target: Submission | Set, folder: Path) -> str:
    """Return the path of a registry as findings give it: relative like the given path, if that leads to it."""
    deeper = len(target.path.resolve().parts) - len(folder.parts)
    above = "/".join(target.name.rstrip("/").split("/")[:-deeper])
    return f"{above}/{NAME}" if above and Path(above).resolve() == folder else str(folder / NAME)
