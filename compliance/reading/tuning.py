"""A campaign of tuning, read from the folder of its trials: what was frozen and drawn, and how each trial went."""

import functools
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.config import shown
from benchmark.ledger import Asked, Drawn, Entry, Start, read_ledger
from benchmark.log import open_regular
from benchmark.tree import LEDGER, result_path
from benchmark.tuning.campaign import FILE, LARGEST, Campaign, read_frozen, within
from benchmark.tuning.ending import Course
from benchmark.tuning.folder import Opened, opened
from compliance.reading.ledger import SetLedger
from compliance.reading.run import Run
from compliance.reading.tree import Set
from rules.edition import Edition

READ = 100  # campaigns that are kept as they were read


@dataclass(frozen=True)
class Read:
    """A campaign, or (file, what is wrong with it): with campaign.json, or with the beginning of its ledger."""

    campaign: Campaign | None
    opened: Opened | None
    fault: tuple[str, str] | None = None


def read(folder: Path, ledger: SetLedger | None) -> Read:
    """The campaign in a folder, with its ledger. Never raises for what lies there."""
    if any(os.path.islink(path) for path in (folder, folder / FILE)):
        return Read(None, None, (FILE, "found a symbolic link, wanted a campaign"))
    try:
        campaign = _frozen(folder / FILE)
    except OSError as error:
        return Read(
            None, None, (FILE, f"found no file that can be read ({error.strerror or 'no regular file'}), wanted {FILE}")
        )
    except ValueError as error:
        return Read(None, None, (FILE, str(error)))
    try:
        return Read(campaign, opened(campaign, ledger.ledger.entries if ledger else ()))
    except ValueError as error:
        return Read(campaign, None, (LEDGER, str(error)))


def _frozen(path: Path) -> Campaign:
    """The campaign that a file is, read once for all rules. Raises ValueError, OSError."""
    with open_regular(path) as file:
        digest = hashlib.sha256(file.read(LARGEST + 1)).digest()
    found = _once(path, digest)
    if isinstance(found, ValueError):
        raise found
    return found


@functools.lru_cache(READ)
def _once(path: Path, digest: bytes) -> Campaign | ValueError:
    """What a file with this digest is, or why it is none: a thousand points of a thousand values take seconds."""
    try:
        return read_frozen(path)
    except ValueError as error:
        return error.with_traceback(None)


def point_of(opened: Opened, index: int) -> dict[str, Any]:
    """A trial's point. Raises ValueError where it has none, or one outside of the campaign's space: an outside sampler
    may propose anything."""
    found, space = opened.point(index), opened.campaign.space
    wrong = sorted(found.keys() ^ space.keys()) or [name for name in space if not within(space[name], found[name])]
    if wrong:
        raise ValueError(f"found {words(found, wrong[:1])} in the point of trial {index}, wanted a point of the space")
    return found


def given_names(runs: Set, ledger: SetLedger | None) -> frozenset[str]:
    """The settings that a campaign gives its trials, above config and command line: those of the space, and those that
    it fixes (TUN05 holds trials against them). None where the set is not of trials, or its campaign can't be read."""
    campaign = read(runs.path, ledger).campaign if runs.trials else None
    return frozenset((*campaign.space, *campaign.fixed)) if campaign else frozenset()


def asked_late(entries: Iterable[Entry]) -> dict[int, int]:
    """trial -> the line of the point that it was asked for, where that came behind the trial's first start."""
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
    """The number of the registry's entry that the shift of a campaign names; None where it names none."""
    for entry in read_ledger(trials.path / LEDGER).entries:
        if isinstance(entry.said, Drawn) and entry.said.source.startswith("registry "):
            return int(entry.said.source.split()[1])
    return None


def course_of(run: Run) -> Course:
    """How a trial went."""
    scores = tuple((e.epoch, e.time_ms, e.value) for e in run.evaluations if e.epoch is not None)
    return Course(run.start_ms, run.stop_ms, scores)


def settings_of(run: Run) -> dict[str, Any]:
    """The settings that a log states."""
    found = run.value("hyperparameters")
    return found if type(found) is dict else {}


def winner_of(runs: list[Run]) -> Run | None:
    """The trial that reached its target in the shortest time; None if none did."""
    reached = [run for run in runs if run.converged and run.seconds is not None]
    return min(reached, key=lambda run: (run.seconds, run.number or 0), default=None)


def words(settings: dict[str, Any], names: list[str]) -> str:
    """Settings in words."""
    return ", ".join(f"{name} {shown(settings.get(name))}" for name in names)


def left_out(runs: Set, edition: Edition) -> frozenset[str]:
    """The rules that don't hold for the logs of a set, and for the set, because it is of a campaign of tuning."""
    tuning = edition.limits.tuning
    if not runs.place.campaign or tuning is None:
        return frozenset()
    return frozenset(tuning.trials_without if runs.trials else tuning.confirmations_without)
