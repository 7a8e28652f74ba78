"""What the rules say of campaigns of tuning: numbers of an edition, and the shift that a registry assigns.

A campaign is registered as runs are (rules/registry.py): its `config` is the campaign's digest, and its `problem` the
text "<problem> tuning <campaign>", so that nobody takes its entry for one of runs.
"""

import hashlib
from dataclasses import dataclass

from rules.registry import Entry, Request


@dataclass(frozen=True)
class Tuning:
    """`tuning` of an edition."""

    trials_without: tuple[str, ...] = ()  # rules over logs and sets that don't hold for trials
    confirmations_without: tuple[str, ...] = ()  # ... nor for confirmation runs
    distinct_bytes: int = 16  # fewest different bytes, of 32, of a shift that was drawn
    operations: int = 10_000_000  # most that recomputing the ends of a campaign's trials may take


def request(org: str, system: str, benchmark: str, problem: str, campaign: str, source: str, digest: str) -> Request:
    """What is registered for the campaign of that name: `source` is the digest of its trials' source, `digest` the
    campaign's. Raises ValueError for a field that is no name."""
    return Request(org, system, benchmark, f"{problem} tuning {campaign}", source, digest)


def registered_shift(entry: Entry) -> str:
    """The shift of a campaign that has this entry: the sha256 of "<digest of the entry> shift"."""
    return hashlib.sha256(f"{entry.digest} shift".encode()).hexdigest()
