"""Move the files of runs that are made again to superseded/. Nothing is deleted, and the ledger gets a note."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from benchmark.ledger import Note, Start, append, read_ledger
from benchmark.tree import LEDGER, SUPERSEDED, environment_paths, weights_path


def supersede(logs: Iterable[Path], why: str) -> Path | None:
    """Move logs of one set, with their weights and environments, to superseded/<time>/ in the set's folder. Before that
    the ledger gets a note for the last start of each. Return the folder; None if there is no log. Raises OSError, and
    ValueError for an invalid ledger."""
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
