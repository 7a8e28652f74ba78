"""The registry of a round, registry.yaml in the folder that names the round's edition, above the submissions."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from compliance.reading.edition import round_folder
from compliance.reading.run import Run
from compliance.reading.tree import Set, Submission
from rules.edition import Edition
from rules.names import folded
from rules.registry import NAME, SOURCE, Damaged, Entry, read_registry


@dataclass(frozen=True)
class RoundRegistry:
    """A registry as it was read: what findings call it, and its entries, or what is wrong with it."""

    path: str
    entries: tuple[Entry, ...]
    damage: Damaged | None = None

    def entry(self, number: int | None) -> Entry | None:
        """The entry of that number."""
        return self.entries[number - 1] if number is not None and 1 <= number <= len(self.entries) else None

    def fitting(self, key: tuple[str, ...]) -> list[Entry]:
        """The entries of a key: see `key_of`."""
        return self._by_key.get(key, [])

    @cached_property
    def _by_key(self) -> dict[tuple[str, ...], list[Entry]]:
        found: dict[tuple[str, ...], list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.key, []).append(entry)
        return found

    def of_organisation(self, name: str) -> list[Entry]:
        """The entries of an organisation, however it writes its name."""
        return [entry for entry in self.entries if folded(entry.organisation) == folded(name)]


class Registries:
    """The registries of the rounds that are judged together, each read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[Path, str], RoundRegistry | None] = {}

    def of(self, target: Submission | Set, edition: Edition) -> RoundRegistry | None:
        """The registry of a submission's or a set's round; None where there is none, or the edition knows of none."""
        folder = round_folder(target, edition.name) if edition.limits.registry != "none" else None
        if folder is None:
            return None
        if (folder, edition.name) not in self._read:
            self._read[folder, edition.name] = _read(folder / NAME, _shown(target, folder), edition.name)
        return self._read[folder, edition.name]


def key_of(organisation: str, system: str, benchmark: str, problem: str | None) -> tuple[str, ...]:
    """Who trains what on which system, as `Request.key` has it."""
    return (folded(organisation), folded(system), benchmark, problem or "")


def names_entry(run: Run) -> bool:
    """Whether a run says that its seed is from the registry."""
    return run.origin is not None and run.origin.source == SOURCE


def _read(path: Path, shown: str, edition: str) -> RoundRegistry | None:
    if not os.path.lexists(path):
        return None
    try:
        return RoundRegistry(shown, tuple(read_registry(path, edition).entries))
    except Damaged as damage:
        return RoundRegistry(shown, (), damage)


def _shown(target: Submission | Set, folder: Path) -> str:
    """The path of a round's registry as findings call it: from the path that was given, where that leads to it."""
    deeper = len(target.path.resolve().parts) - len(folder.parts)
    above = "/".join(target.name.rstrip("/").split("/")[:-deeper])
    return f"{above}/{NAME}" if above and Path(above).resolve() == folder else str(folder / NAME)
