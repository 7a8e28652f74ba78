"""Put in order what killed processes left in the folder of a set."""

import contextlib
import hashlib
import platform
import time
from pathlib import Path

from benchmark.atomic import sweep_folder
from benchmark.ledger import End, Note, Start, append, read_ledger
from benchmark.log import Event, read_log
from benchmark.run.files import LEDGER, WEIGHTS, weights_path
from benchmark.run.log import remove_cut_line
from harness.status import RunStatus, read_status
from harness.superseded import follow, move_weights, new_place

LATE = "the end was recorded later: the run was over when its process was ended"
# Seconds without a change after which nobody is taken to write the end of a run: on this node, where runs end with the
# command that started them, and on another one, where a rank may go on
QUIET_HERE, QUIET = 2.0, 120.0


def put_in_order(folder: Path) -> None:
    """Put a set's folder in order, whose lock the caller holds: files that killed processes left half written go, what
    was moved aside by half follows, and runs that were over get their ends, unless they write these themselves. Raises
    OSError, and ValueError for an invalid ledger."""
    record_ends(folder)
    for inside in (folder, folder / WEIGHTS):
        sweep_folder(inside)
    follow(folder)


def wait_for(log: Path) -> None:
    """Wait until the run with this log has written nothing for a while."""
    devices = [event.value for event in read_log(log) if isinstance(event, Event) and event.key == "devices"]
    groups = [group for value in devices if isinstance(value, list) for group in value]
    here = all(isinstance(group, dict) and group.get("host") == platform.node() for group in groups)
    quiet, before = QUIET_HERE if here else QUIET, None
    while (now := changed(log)) != before and time.time() - max(now.values(), default=0) < quiet:
        before = now
        time.sleep(quiet)


def changed(log: Path) -> dict[Path, float]:
    """Return when the files that a run writes at its end were changed, in seconds since 1970."""
    weights, found = weights_path(log), {}
    for path in (log, weights, *weights.parent.glob(f".{weights.name}.*.partial")):
        with contextlib.suppress(FileNotFoundError):
            found[path] = path.stat().st_mtime
    return found


def without_end(folder: Path) -> list[tuple[str, int, RunStatus]]:
    """Return (log, number of its last start, state) of the runs that are over without an end in the ledger. Raises
    OSError, and ValueError for an invalid ledger."""
    ledger = folder / LEDGER
    entries = read_ledger(ledger).entries if ledger.exists() else ()
    last = {entry.said.run: entry.number for entry in entries if isinstance(entry.said, Start)}
    ended = {entry.said.of for entry in entries if isinstance(entry.said, End)}
    found = ((name, number, read_status(folder / name)) for name, number in last.items() if number not in ended)
    return [(name, number, status) for name, number, status in found if status.finished]


def record_ends(folder: Path, only: str = "") -> None:
    """Record the ends of runs that were over when their processes were ended, before they could do it, and that have
    written nothing for a while; with `only`, of the run with this log. A note says so. Weights that such a log does not
    name are moved aside. Raises OSError, and ValueError for an invalid ledger."""
    for name, _, _ in without_end(folder):
        if only in ("", name):
            wait_for(folder / name)
    for name, number, found in without_end(folder):
        log = folder / name
        if only not in ("", name):
            continue
        remove_cut_line(log)
        if not any(isinstance(event, Event) and event.key == "weights" for event in read_log(log)):
            move_weights(log, new_place(folder))
        append(folder / LEDGER, Note(number, LATE))
        status = "success" if found.state == "reached" else "aborted"
        append(folder / LEDGER, End(number, status, hashlib.sha256(log.read_bytes()).hexdigest()))
