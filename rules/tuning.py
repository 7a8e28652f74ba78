"""The rules on campaigns of tuning: limits of an edition, and the shift that a registry assigns.

A campaign is registered as runs are (rules/registry.py). Its `config` is the campaign's digest, and its `problem` is
"<problem> tuning <campaign>", so that its entry can't be used for runs.
"""

import hashlib
from dataclasses import dataclass

from rules.registry import Entry, Request


@dataclass(frozen=True)
class Tuning:
    """`tuning` of an edition."""

    distinct_bytes: int = 16  # fewest different bytes, of 32, of a random shift
    operations: int = 10_000_000  # most comparisons for recomputing the ends of a campaign's trials


def request(org: str, system: str, benchmark: str, problem: str, campaign: str, source: str, digest: str) -> Request:
    """Return the request that registers a campaign. `source` is the digest of its trials' source, `digest` the
    campaign's. Raises ValueError for an invalid name."""
    return Request(org, system, benchmark, f"{problem} tuning {campaign}", source, digest)


def registered_shift(entry: Entry) -> str:
    """Return the shift of the campaign with this entry: the sha256 of "<digest of the entry> shift"."""
    return hashlib.sha256(f"{entry.digest} shift".encode()).hexdigest()
