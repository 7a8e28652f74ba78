"""The receipts of a round's witness: those beside the logs of a submission, and the round's published chain."""

import functools
import os
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import cast

from benchmark.log import Event, read_log
from benchmark.tree import receipts_path
from compliance.reading.digest import beginnings
from compliance.reading.edition import round_folder
from compliance.reading.run import Run
from compliance.reading.tree import Set, Submission
from compliance.reading.values import is_number
from rules.edition import Edition
from rules.registry import Wrong
from rules.witness import (
    EVALUATION,
    MOST_STEPS,
    NAME,
    RUN_START,
    RUN_STOP,
    Receipt,
    Start,
    Step,
    follows,
    is_signed,
    read_receipts,
)

SOURCE = "witness"  # the source of a seed that follows from a receipt
LARGEST = 64 << 20  # bytes of a run's receipts
LARGEST_LOG = 1 << 30  # bytes of a log whose beginnings are hashed


@dataclass(frozen=True)
class Receipts:
    """The receipts of a run: the path of their file as findings give it, and the receipts up to the first line that
    holds none, which `wrong` is about."""

    path: str
    receipts: tuple[Receipt, ...]
    wrong: Wrong | None = None

    @property
    def start(self) -> Start | None:
        """What was told of the run's start, None if nothing was."""
        told = self.receipts[0].told if self.receipts else None
        return told if isinstance(told, Start) else None

    @property
    def steps(self) -> list[tuple[int, Receipt, Step]]:
        """The line, the receipt, and what was told, of each later step."""
        return [(line, r, r.told) for line, r in enumerate(self.receipts, 1) if isinstance(r.told, Step)]


@dataclass(frozen=True)
class Point:
    """An event of a log that a witness is told of: its line and time, and length and sha256 of the log up to it."""

    kind: str
    line: int
    time_ms: int
    bytes: int
    digest: str


def receipts_of(run: Run) -> Receipts | None:
    """Return the receipts beside a run's log, None if there are none."""
    path = receipts_path(run.file)
    shown = f"{run.path.rpartition('/')[0]}/{path.name}".lstrip("/")
    return read_beside(path, shown) if os.path.lexists(path) else None


def read_beside(path: Path, shown: str) -> Receipts:
    """Return the receipts in a file that findings call `shown`."""
    found: list[Receipt] = []
    if path.is_symlink():
        return Receipts(shown, (), Wrong("a symbolic link", "a file"))
    try:
        for receipt in read_receipts(path, MOST_STEPS, LARGEST):
            if isinstance(receipt, Wrong):
                return Receipts(shown, tuple(found), receipt)
            found.append(receipt)
    except OSError as error:
        return Receipts(shown, (), Wrong(f"no file that can be read ({error.strerror or error})", "receipts"))
    return Receipts(shown, tuple(found))


def superseded(submission: Submission) -> set[str]:
    """Return the runs, by the number that the witness knows them by, whose receipts lie in superseded/ folders."""
    found = set()
    for log in (log for runs in submission.sets for log in runs.superseded):
        path = receipts_path(log.file)
        if path.is_file() and not path.is_symlink() and (start := read_beside(path, log.name).start):
            found.add(start.run)
    return found


def names_witness(run: Run) -> bool:
    """Return whether a run says that its seed follows from a receipt."""
    return run.origin is not None and run.origin.source == SOURCE


def points(run: Run) -> list[Point]:
    """Return the events of a log that a witness is told of, in order. A log that cannot be read has none."""
    kinds = {RUN_START: RUN_START, run.metric: EVALUATION, RUN_STOP: RUN_STOP}
    try:
        events = [event for event in read_log(run.file) if isinstance(event, Event) and event.key in kinds]
        lines = {event.line for event in events}
        read = takewhile(lambda end: end[1] <= LARGEST_LOG, beginnings(run.file))
        ends = {number: (length, total.hexdigest()) for number, length, total in read if number in lines}
    except OSError:
        return []
    return [
        Point(kinds[event.key], event.line, int(event.time_ms) if is_number(event.time_ms) else 0, *ends[event.line])
        for event in events
        if event.line in ends
    ]


@dataclass(frozen=True)
class Chain:
    """The published receipts of a round: its path, its first damage as (line, what is wrong), the starts, the kind of
    the last step of each run ("" for none), and the sha256 of all receipts."""

    path: str
    damage: tuple[int, str] | None
    starts: tuple[Start, ...]
    last: dict[str, str]
    held: frozenset[str]


def chain_of(target: Submission | Set, edition: Edition) -> Chain | None:
    """Return the chain in the folder of a submission's round. Return None if none is published, or the edition has no
    witness."""
    folder = round_folder(target, edition.name) if edition.limits.witness != "none" else None
    path = folder / NAME if folder else None
    key = edition.limits.witness_key
    return _chain(path, edition.name, key, path.stat().st_mtime_ns) if path and path.is_file() else None


@functools.lru_cache(maxsize=4)
def _chain(path: Path, edition: str, key: str, changed: int) -> Chain:
    """Read a chain up to its first damage. `changed` is when the file was changed, so that it is read again then."""
    before: Receipt | None = None
    starts: list[Start] = []
    last: dict[str, str] = {}
    held: set[str] = set()
    damage = None
    for line, receipt in enumerate(read_receipts(path), 1):
        if why := _wrong(receipt, before, edition, key):
            damage = line, why
            break
        before = cast(Receipt, receipt)
        held.add(before.sha256)
        starts += [before.told] if isinstance(before.told, Start) else []
        last[before.told.run] = "" if isinstance(before.told, Start) else before.told.kind
    return Chain(str(path), damage, tuple(starts), last, frozenset(held))


def _wrong(receipt: Receipt | Wrong, before: Receipt | None, edition: str, key: str) -> str:
    """Return what is wrong with a line of a chain, "" if nothing is."""
    if isinstance(receipt, Wrong):
        return receipt.found
    return unsound(receipt, edition, key) or follows(receipt, before)


def unsound(receipt: Receipt, edition: str, key: str) -> str:
    """Return why a receipt is none of a round's witness; "" if it is one."""
    if receipt.edition != edition:
        return f"a receipt of the round {receipt.edition}"
    return "" if is_signed(receipt, key) else "a signature that is not by the witness's key"
