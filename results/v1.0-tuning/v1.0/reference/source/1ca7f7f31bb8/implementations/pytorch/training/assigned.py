"""A seed that the registry of a round assigns to a run (see `rules/registry.py`)."""

from dataclasses import dataclass
from pathlib import Path

from rules.registry import NAMES, Entry, read_registry

from .events import EDITION


@dataclass(frozen=True)
class Assigned:
    """Run `run` of an entry."""

    path: Path
    entry: Entry
    run: int

    @property
    def seed(self) -> int:
        """The seed that the run must use."""
        return self.entry.seed(self.run)

    def difference(self, *found: str) -> str:
        """The first of organisation, system, benchmark, problem and the digests of source and settings, in this order,
        that is not as registered, in words; nothing if all are."""
        for name, is_now in zip((*NAMES, "source", "config"), found, strict=True):
            if is_now != (wanted := getattr(self.entry, name)):
                return f"{name}: found {is_now}, wanted {wanted} as in entry {self.entry.entry} of {self.path}"
        return ""


def read_assigned(path: Path, number: int, run: int) -> Assigned:
    """Run `run`, from 0, of entry `number`, from 1. Raises ValueError for a registry that is damaged or has none."""
    entries = read_registry(path, EDITION).entries
    if not 1 <= number <= len(entries):
        raise ValueError(f"{path}: found {len(entries)} entries, wanted entry {number}")
    if run < 0:
        raise ValueError(f"run: found {run}, wanted 0 or more, as in result_<run>.txt")
    return Assigned(path, entries[number - 1], run)
