"""Read a campaign of tuning from the folder of its trials: what was frozen and drawn, and the course of each trial."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.config import shown
from benchmark.ledger import Asked, Drawn, Entry, Event, Start, read_ledger
from benchmark.run.files import LEDGER
from benchmark.tree import result_path
from benchmark.tuning.campaign import FILE, Campaign, read_frozen, within
from benchmark.tuning.ending import Course, ending
from benchmark.tuning.folder import Opened, opened
from compliance.reading.ledger import SetLedger
from compliance.reading.log import Log
from compliance.reading.run import Run
from compliance.reading.tree import Set


@dataclass(frozen=True)
class Read:
    """A campaign, or in `fault` (file, what is wrong): with campaign.json, or with the beginning of its ledger."""

    campaign: Campaign | None
    opened: Opened | None
    fault: tuple[str, str] | None = None


def read(folder: Path, ledger: SetLedger | None) -> Read:
    """Read the campaign in a folder, with its ledger. Never raises: `fault` says what is wrong."""
    path = folder / FILE
    if folder.is_symlink() or path.is_symlink():
        return Read(None, None, (FILE, "found a symbolic link, wanted a campaign"))
    campaign = None
    try:
        stamp = path.stat()
        campaign = _frozen(path, stamp.st_mtime_ns, stamp.st_size)
        return Read(campaign, opened(campaign, ledger.ledger.entries if ledger else ()))
    except OSError as error:
        why = f"found no file that can be read ({error.strerror or 'no regular file'}), wanted {FILE}"
    except ValueError as error:
        why = str(error)
    return Read(campaign, None, (LEDGER if campaign else FILE, why))


@functools.lru_cache
def _frozen(path: Path, _changed: int, _size: int) -> Campaign:
    """Read a campaign file, once until it changes, since a large one takes seconds. Raises ValueError, OSError."""
    return read_frozen(path)


def point_of(opened: Opened, index: int) -> dict[str, Any]:
    """Return a trial's point. Raises ValueError if it has none, or one outside of the campaign's space, as an external
    sampler may propose."""
    found, space = opened.point(index), opened.campaign.space
    wrong = sorted(found.keys() ^ space.keys()) or [name for name in space if not within(space[name], found[name])]
    if wrong:
        raise ValueError(f"found {words(found, wrong[:1])} in the point of trial {index}, wanted a point of the space")
    return found


def given_names(runs: Set, ledger: SetLedger | None) -> frozenset[str]:
    """Return the names of the settings that a campaign gives its trials: those of the space, and those that it fixes.
    They override config and command line, and TUN05 checks them. Empty if the set has no trials, or its campaign can't
    be read."""
    campaign = read(runs.path, ledger).campaign if runs.trials else None
    return frozenset((*campaign.space, *campaign.fixed)) if campaign else frozenset()


def asked_late(entries: Iterable[Entry[Event]]) -> dict[int, int]:
    """Return trial -> line of its point in the ledger, for each trial that was started before the line was written."""
    started: set[str] = set()
    asked: dict[int, int | None] = {}
    for entry in entries:
        if isinstance(entry.said, Start):
            started.add(entry.said.run)
        elif isinstance(entry.said, Asked):
            late = result_path(Path(), "", "", entry.said.trial).name in started
            asked.setdefault(entry.said.trial, entry.number if late else None)
    return {trial: line for trial, line in asked.items() if line is not None}


def entry_of(trials: Set) -> int | None:
    """Return the number of the registry's entry that the shift of a campaign names, None if it names none."""
    for entry in read_ledger(trials.path / LEDGER).entries:
        if isinstance(entry.said, Drawn) and entry.said.source.startswith("registry "):
            return int(entry.said.source.split()[1])
    return None


def course_of(run: Run) -> Course:
    """Return the course of a trial: its start, stop and scores."""
    scores = tuple((e.epoch, e.time_ms, e.value) for e in run.evaluations if e.epoch is not None)
    return Course(run.start_ms, run.stop_ms, scores)


def settings_of(log: Log | Run) -> dict[str, Any]:
    """Return the settings that a log states; {} for none, and for a malformed value."""
    found = log.value("hyperparameters")
    return found if type(found) is dict else {}


def winner_of(runs: list[Run]) -> Run | None:
    """Return the trial that reached its target in the shortest time; None if none did."""
    reached = [run for run in runs if run.converged and run.seconds is not None]
    return min(reached, key=lambda run: (run.seconds, run.number or 0), default=None)


def words(settings: dict[str, Any], names: list[str]) -> str:
    """Return the named settings in words."""
    return ", ".join(f"{name} {shown(settings.get(name))}" for name in names)


def first_ending(campaign: Campaign, own: Course, others: Sequence[Course], lower: bool) -> tuple[int, str] | None:
    """Return after how many evaluations a trial has to end, and why; None if neither budget nor pruning ends it."""
    if campaign.budget.seconds is None and not campaign.pruning:
        return None
    for count, last in enumerate(own.evaluations, 1):  # the decision depends on the last evaluation alone
        if why := ending(campaign, Course(own.start, own.stop, (last,)), others, lower):
            return count, why
    return None
