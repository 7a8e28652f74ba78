"""Runs that are made again: what is there of them is moved aside, never deleted, and the ledger says so."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from benchmark.ledger import Note, Start, append, read_ledger
from benchmark.tree import LEDGER, SUPERSEDED, environment_paths, weights_path


def move_aside(logs: Iterable[Path], why: str) -> Path | None:
    """Move logs of one set, with their weights and environments, to superseded/<time>/ in its folder, after a note in
    the ledger for the last start of each. The folder; None if there is no log. Raises OSError, ValueError for a ledger
    that is none."""
    logs = [log for log in logs if log.exists()]
    if not logs:
        return None
    home = logs[0].parent
    target = home / SUPERSEDED / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    ledger = home / LEDGER
    entries = read_ledger(ledger).entries if ledger.exists() else ()
    for log in logs:
        place = target / log.name
        numbers = [entry.number for entry in entries if isinstance(entry.said, Start) and entry.said.run == log.name]
        if numbers:
            append(ledger, Note(numbers[-1], f"superseded: {why}; moved to {place.relative_to(home).as_posix()}"))
        environments = [(path, target / path.name) for path in environment_paths(log)]
        for old, new in ((weights_path(log), weights_path(place)), *environments, (log, place)):
            if old.exists():
                new.parent.mkdir(parents=True, exist_ok=True)
                os.rename(old, new)
    return target
