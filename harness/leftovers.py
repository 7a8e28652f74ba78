"""Put in order what killed processes left in the folder of a set."""

import hashlib
from pathlib import Path

from benchmark.atomic import sweep_folder
from benchmark.ledger import End, Note, Start, append, read_ledger
from benchmark.log import Event, read_log
from benchmark.run.files import LEDGER, WEIGHTS
from benchmark.run.log import remove_cut_line
from harness.status import read_status
from harness.superseded import follow, move_weights, new_place

LATE = "the end was recorded later: the run was over when its process was ended"


def put_in_order(folder: Path) -> None:
    """Put a set's folder in order, whose lock the caller holds: files that killed processes left half written go, what
    was moved aside by half follows, and runs that were over get their ends. Raises OSError, and ValueError for an
    invalid ledger."""
    for inside in (folder, folder / WEIGHTS):
        sweep_folder(inside)
    follow(folder)
    record_ends(folder)


def record_ends(folder: Path, only: str = "") -> None:
    """Record the ends of runs that were over when their processes were ended, before they could do it; with `only`, of
    the run with this log. A note says so. Weights that such a log does not name are moved aside. Raises OSError, and
    ValueError for an invalid ledger."""
    ledger = folder / LEDGER
    entries = read_ledger(ledger).entries if ledger.exists() else ()
    last = {entry.said.run: entry.number for entry in entries if isinstance(entry.said, Start)}
    ended = {entry.said.of for entry in entries if isinstance(entry.said, End)}
    for name, number in last.items():
        log = folder / name
        if number in ended or only not in ("", name) or not (found := read_status(log)).finished:
            continue
        remove_cut_line(log)
        if not any(isinstance(event, Event) and event.key == "weights" for event in read_log(log)):
            move_weights(log, new_place(folder))
        append(ledger, Note(number, LATE))
        status = "success" if found.state == "reached" else "aborted"
        append(ledger, End(number, status, hashlib.sha256(log.read_bytes()).hexdigest()))
