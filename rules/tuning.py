"""What the rules say of campaigns of tuning: the shift that a registry assigns, and numbers of an edition."""

import hashlib
from dataclasses import dataclass

from rules.registry import Entry


@dataclass(frozen=True)
class Tuning:
    """`tuning` of an edition."""

    trials_without: tuple[str, ...] = ()  # rules over logs and sets that don't hold for trials
    confirmations_without: tuple[str, ...] = ()  # ... nor for confirmation runs
    operations: int = 10_000_000  # most that recomputing the ends of a campaign's trials may take


def registered_shift(entry: Entry) -> str:
    """The shift of a campaign that has this entry, whose `config` is the campaign's digest: the sha256 of "<digest of
    the entry> shift"."""
    return hashlib.sha256(f"{entry.digest} shift".encode()).hexdigest()
