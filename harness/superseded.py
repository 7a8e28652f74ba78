"""Move the files of runs that are made again to superseded/. Nothing is deleted, and the ledger gets a note."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from benchmark.ledger import Note, Start, append, read_ledger
from benchmark.run.files import LEDGER, weights_path
from benchmark.tree import SUPERSEDED, environment_paths, receipts_path


def supersede(logs: Iterable[Path], why: str) -> Path | None:
    """Move logs of one set, with their weights and environments, to superseded/<time>/ in the set's folder. Before that
    the ledger gets a note for the last start of each. Return the folder; None if there is no log. Raises OSError, and
    ValueError for an invalid ledger."""
    logs = [log for log in logs if log.exists()]
    if not logs:
        return None
    home = logs[0].parent
    target = new_place(home)
    ledger = home / LEDGER
    entries = read_ledger(ledger).entries if ledger.exists() else ()
    for log in logs:
        place = target / log.name
        numbers = [entry.number for entry in entries if isinstance(entry.said, Start) and entry.said.run == log.name]
        if numbers:
            append(ledger, Note(numbers[-1], f"superseded: {why}; moved to {place.relative_to(home).as_posix()}"))
        target.mkdir(parents=True, exist_ok=True)
        os.rename(log, place)  # first: what is left without its log follows it, if this process is killed meanwhile
        move_rest(log, target)
    return target


def follow(home: Path) -> None:
    """Complete what a killed process began to move aside: weights and environments without their log follow it to the
    latest place in superseded/ that has it, unless it has its own: then they are of a start that never wrote a log.
    Raises OSError."""
    places = {log.name: log for log in sorted(home.glob(f"{SUPERSEDED}/*/result_*.txt"))}
    for name, place in places.items():
        if not (home / name).exists():
            move_rest(home / name, place.parent)


def move_rest(log: Path, target: Path) -> None:
    """Move a log's weights, environments and receipts to the folder `target`, but none over another file. Raises
    OSError."""
    if receipts_path(log).exists():
        move(receipts_path(log), target / receipts_path(log).name)
    for manifest in reversed(environment_paths(log)):  # which are found from the first one on
        move(manifest, target / manifest.name)
    move_weights(log, target)


def move_weights(log: Path, target: Path) -> None:
    """Move a log's weights, if there are any, to the folder `target`. Raises OSError."""
    if weights_path(log).exists():
        place = weights_path(target / log.name)
        place.parent.mkdir(parents=True, exist_ok=True)
        move(weights_path(log), place)


def move(path: Path, place: Path) -> None:
    """Move a file to a place, unless there is one. Raises OSError."""
    if not os.path.lexists(place):
        os.rename(path, place)


def new_place(home: Path) -> Path:
    """Return the folder in superseded/ for what is moved aside now."""
    return home / SUPERSEDED / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
