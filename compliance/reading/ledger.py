"""The launch ledger of a set: which starts belong to its runs, and what became of the others."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

from benchmark.ledger import End, Entry, Ledger, Note, Start, read_ledger
from benchmark.ledger import Event as Said
from benchmark.log import Event, read_log
from benchmark.run.files import LEDGER
from compliance.reading.digest import beginnings
from compliance.reading.run import Run
from compliance.reading.tree import Set
from compliance.reading.values import grouped
from rules.edition import Edition

ABORTED, KILLED = "aborted", "killed and started again"  # the fates of starts whose log is not handed in
REPEATED = "that reached the target and was made again"
NOTED, UNEXPLAINED = "explained by a note alone", "unexplained"
Kind = TypeVar("Kind", Start, End, Note)
MOST_LINES = 200_000  # of a log, and MiB of longer ones, at whose ends its sha256 is looked up


@dataclass(frozen=True)
class SetLedger:
    """A launch ledger, and its path as findings give it."""

    path: str
    ledger: Ledger

    @cached_property
    def starts(self) -> dict[int, Entry[Start]]:
        """The starts by number."""
        return {e.number: e for e in entries_of(Start, self.ledger.entries)}

    @cached_property
    def ends(self) -> dict[int, Entry[End]]:
        """The end of each start, by its number: the first. Where that one was recorded for the run, after a note on its
        start, it is the last, since the run may have gone on elsewhere and recorded its own."""
        found: dict[int, Entry[End]] = {}
        for entry in entries_of(End, self.ledger.entries):
            before = found.get(entry.said.of)
            if before is None or self.was_noted(before):
                found[entry.said.of] = entry
        return found

    def was_noted(self, end: Entry[End]) -> bool:
        """Return whether there is a note on the start of an end before it."""
        return any(note.number < end.number for note in self.notes.get(end.said.of, ()))

    @cached_property
    def notes(self) -> dict[int, list[Entry[Note]]]:
        """The notes on each start, by its number."""
        return grouped(entries_of(Note, self.ledger.entries), lambda entry: entry.said.of)

    @cached_property
    def first(self) -> dict[int, int]:
        """The number of each start -> the number of the first start of the same run, from which it resumes, directly or
        through other starts."""
        found: dict[int, int] = {}
        for number, entry in self.starts.items():
            before = entry.said.resumes
            found[number] = found.get(before, number) if before is not None else number
        return found

    @cached_property
    def families(self) -> dict[int, list[Entry[Start]]]:
        """The starts of each run in order, by the number of its first start."""
        return grouped(self.starts.values(), lambda entry: self.first[entry.number])

    def starts_of(self, run: Run) -> list[Entry[Start]]:
        """Return the starts of a run by the start that its log names; [] if that is no start of this run."""
        launch = run.launch
        entry = self.starts.get(launch.number) if launch and launch.number is not None else None
        if not launch or not entry or (entry.said.run, entry.line) != (run.file.name, launch.digest):
            return []
        return self.families.get(entry.number, [])

    @cached_property
    def latest(self) -> dict[str, int]:
        """The name of each log -> the number of its last start."""
        return {entry.said.run: number for number, entry in self.starts.items()}

    def fate(self, number: int) -> str:
        """Return what became of a start whose log is not handed in."""
        entry, end = self.starts[number], self.ends.get(number)
        if end and end.said.status == ABORTED:
            return ABORTED
        if not end and self.latest[entry.said.run] > number:
            return KILLED
        if number not in self.notes:
            return UNEXPLAINED
        return REPEATED if end and end.said.status == "success" and self.latest[entry.said.run] > number else NOTED

    def others(self, runs: Sequence[Run]) -> dict[int, str]:
        """Return the number of every start whose log is not handed in -> what became of it."""
        held = {entry.number for run in runs for entry in self.starts_of(run)}
        return {number: self.fate(number) for number in self.starts if number not in held}

    def summary(self, runs: Sequence[Run]) -> str:
        """Return the ledger in one line: the numbers of starts and runs, and its head."""
        families = [starts for run in runs if (starts := self.starts_of(run))]
        fates = Counter(self.others(runs).values())
        failed = fates[ABORTED] + fates[KILLED]
        strange = fates[REPEATED] + fates[NOTED] + fates[UNEXPLAINED]
        counts = [f"{len(self.starts)} starts", f"{len(families)} runs"]
        counts += [f"{sum(len(starts) - 1 for starts in families)} restarted", f"{failed} failed"]
        counts += [f"{strange} left out"] if strange else []
        faults = len(self.ledger.faults)
        wrong = f"; {faults} fault{'s' * (faults > 1)}" if faults else ""
        return f"ledger: {', '.join(counts)}{wrong}; head {self.ledger.head[:12] or 'none'}"


def entries_of(kind: type[Kind], entries: Iterable[Entry[Said]]) -> list[Entry[Kind]]:
    """Return the entries of an event of this kind, in order."""
    return [cast("Entry[Kind]", entry) for entry in entries if isinstance(entry.said, kind)]


def ledger_of(runs: Set, edition: Edition) -> SetLedger | None:
    """Return the launch ledger of a set; None if there is none, or the edition has none."""
    return None if edition.limits.ledger == "none" else read_beside(runs.path, runs.name)


def read_beside(folder: Path, name: str) -> SetLedger | None:
    """Return the launch ledger in a folder that findings call `name`; None if there is none."""
    path = folder / LEDGER
    return SetLedger(f"{name}/{LEDGER}", read_ledger(path)) if os.path.lexists(path) else None


def start_in(log: Path) -> tuple[str | None, bool]:
    """Return (the digest of the start's line that a log states, None without one; whether its clock ever started)."""
    try:
        for item in read_log(log):
            if type(item) is Event and item.key == "ledger":
                line = item.metadata.get("line") if type(item.metadata) is dict else None
                return (line if type(line) is str else None), True
            if type(item) is Event and item.key == "run_start":
                return None, True
    except OSError:
        return None, True
    return None, False


def begun(run: Run, wanted: set[str]) -> set[str]:
    """Return those digests in `wanted` that the log has up to the end of one of its lines."""
    ends = islice(beginnings(run.file), MOST_LINES) if wanted else ()
    try:
        return wanted.intersection(total.hexdigest() for *_, total in ends)
    except OSError:
        return set()
