"""Read the seed that the registry of a round assigns to a run (see `rules/registry.py`)."""

from dataclasses import dataclass
from pathlib import Path

from rules.registry import NAMES, Entry, read_registry

from .events import EDITION


@dataclass(frozen=True)
class Assigned:
    """Run `run` of an entry of the registry at `path`."""

    path: Path
    entry: Entry
    run: int

    @property
    def seed(self) -> int:
        """The seed that the run must use."""
        return self.entry.seed(self.run)

    def difference(self, *found: str) -> str:
        """Compare a run with its entry. `found` are organisation, system, benchmark, problem, and the digests of source
        and settings. Return the first difference, in words; "" if there is none."""
        for name, is_now in zip((*NAMES, "source", "config"), found, strict=True):
            if is_now != (wanted := getattr(self.entry, name)):
                return f"{name}: found {is_now}, wanted {wanted} as in entry {self.entry.entry} of {self.path}"
        return ""


def read_assigned(path: Path, number: int, run: int) -> Assigned:
    """Return run `run`, counted from 0, of entry `number`, counted from 1. Raises ValueError for a damaged registry, or
    one without such an entry."""
    entry = entry_of(path, number)
    if run < 0:
        raise ValueError(f"run: found {run}, wanted 0 or more, as in result_<run>.txt")
    return Assigned(path, entry, run)


def entry_of(path: Path, number: int) -> Entry:
    """Return entry `number` of a registry, counted from 1. Raises ValueError as `read_assigned` does."""
    entries = read_registry(path, EDITION).entries
    if not 1 <= number <= len(entries):
        raise ValueError(f"{path}: found {len(entries)} entries, wanted entry {number}")
    return entries[number - 1]
