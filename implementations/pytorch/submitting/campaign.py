"""Make the runs of a set one after another: the missing ones, and those that were interrupted."""

import contextlib
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark.collect import collect, files_of, snapshot
from benchmark.ledger import read_ledger
from benchmark.source import ROOT
from benchmark.tree import LEDGER, set_path

from ..config import RunConfig
from ..training.checkpoint import locked
from .aside import move_aside
from .standing import Standing, standing

WRONG = 2  # exit code of a run with wrong data or a wrong command, with which every run would end
SIGNALS = 128  # exit codes from here on are of runs that a signal ended
NAMED = 5  # files or settings that an error names


@dataclass(frozen=True)
class Campaign:
    """A set of `runs` runs. `checkpoints` is the folder of all runs' checkpoints, or None. `config_file` is the config,
    if it lies outside the repository. `start(log, more)` makes a run, with more options, and returns its exit code, a
    signal's as -number."""

    submission: Path
    system: str
    benchmark: str
    problem: str
    runs: int
    config: RunConfig
    start: Callable[[Path, list[str]], int]
    checkpoints: Path | None = None
    config_file: Path | None = None
    home: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder of the set."""
        return self.home or set_path(self.submission, self.system, self.benchmark)

    def log(self, run: int) -> Path:
        """Return the log of a run."""
        return self.folder / f"result_{run}.txt"

    def checkpoint(self, run: int) -> Path:
        """Return the folder of a run's checkpoints."""
        return self.checkpoints / self.system / self.benchmark / self.log(run).stem

    def standings(self) -> list[Standing]:
        """Return the state of each run of the set."""
        return [standing(self.log(run)) for run in range(self.runs)]

    def complete(self) -> bool:
        """Return whether no run is missing."""
        return all(found.over for found in self.standings())

    def make(self, anew: bool = False) -> int:
        """Make the missing runs, or, `anew`, all of a new set. Return the exit code: 0 every run of the set reached its
        target, 1 some did not, 2 none could be made. Raises ValueError if the set was made with other code, or if
        another submit.py is using it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with alone(self.folder):
            todo = self.to_make(anew, "runs")
            source: dict[str, bytes] = {}
            for done, run in enumerate(todo):
                source |= snapshot(*filter(None, [self.config_file]))  # the code that the run will load
                self.say(f"run {run + 1} of {self.runs}")
                code = self.make_one(run)
                collect(self.submission, source)
                found = standing(self.log(run))
                self.say(f"run {run + 1} of {self.runs}: {self.told(found, code)}{self.left(len(todo) - done - 1)}")
                if code == WRONG or (0 < code < SIGNALS and not found.started):  # the next run would end the same way
                    return WRONG
                if found.over and self.checkpoints:
                    shutil.rmtree(self.checkpoint(run), ignore_errors=True)
            return self.finish()

    def to_make(self, anew: bool, what: str) -> list[int]:
        """Return which runs are missing; all of them, `anew`, after moving the set aside. `what` is the word for runs
        in messages. Raises ValueError as `same_as` does."""
        old = move_aside(sorted(self.folder.glob("result_*.txt")), "a new set was begun") if anew else None
        if old:
            self.say(f"the {what} that were there are now in {old}")
        missing = [run for run, found in enumerate(self.standings()) if not found.over]
        self.same_as(run for run in range(self.runs) if run not in missing)
        if len(missing) < self.runs:
            self.say(f"{self.runs - len(missing)} of {self.runs} {what} are there")
        return missing

    def make_one(self, run: int) -> int:
        """Make a run, or resume it from its checkpoint. Return its exit code."""
        log, more, found = self.log(run), [], standing(self.log(run))
        if self.checkpoints:
            more = ["--checkpoint", str(self.checkpoint(run)), "--resume"]
            if found.state == "broken" and any(self.checkpoint(run).glob("epoch_*")):
                return self.start(log, more)
        if log.exists():
            why = f"broke off after {found.epochs} epochs" if found.epochs else "broke off"
            if place := move_aside([log], why):
                self.say(f"run {run + 1} of {self.runs} {why}: what is there of it is now in {place}")
        return self.start(log, more)

    def put_aside(self, run: int) -> Path | None:
        """Move the files of an interrupted run aside, for a script that starts it in another way. Return the folder;
        None if there is nothing. Raises ValueError for a finished run, which counts as it is."""
        with alone(self.folder) if self.folder.is_dir() else contextlib.nullcontext():
            if standing(self.log(run)).over:
                raise ValueError(f"{self.log(run)}: found a run that is over, wanted one that broke off")
            return move_aside([self.log(run)], "broke off")

    def finish(self) -> int:
        """Print the state of the set and what to do next. Return the exit code."""
        now = self.standings()
        reached = sum(found.state == "reached" for found in now)
        print(f"{reached} of {self.runs} runs reached the target: {self.submission}")
        if head := read_ledger(self.folder / LEDGER).head:
            print(f"head of the launch ledger: {head}")
        if missing := [run for run, found in enumerate(now) if not found.over]:
            names = ", ".join(f"result_{run}" for run in missing)
            print(f"not there: {names}; the same command again makes {'it' if len(missing) == 1 else 'them'}")
        else:
            print(f"next: python compliance/check.py {self.submission}")
        return 0 if reached == self.runs else 1

    def same_as(self, runs: Iterator[int]) -> None:
        """Compare what is going to run with the runs that are there. Raises ValueError if problem, source or settings
        differ, since all runs of a set must have the same."""
        for run in runs:
            log, found = self.log(run), standing(self.log(run))
            if found.problem != self.problem:
                raise ValueError(f"{log}: found problem {found.problem}, wanted {self.problem} (--anew)")
            if others := other_source(log, self.config_file):
                raise ValueError(f"{log}: found other source than now: {few(others)}; wanted the same (--anew)")
            ours, theirs = self.config.fields(), found.settings or {}
            differ = [
                f"{name} {theirs.get(name)}, now {value}"
                for name, value in ours.items()
                if name not in theirs or list_of(theirs[name]) != list_of(value)
            ]
            if found.config != self.config.digest() and differ:
                raise ValueError(f"{log}: found other settings than now: {few(differ)}; wanted the same (--anew)")

    def left(self, runs: int) -> str:
        """Return how long `runs` further runs will take, judged by the finished ones."""
        took = [found.seconds for found in self.standings() if found.over]
        return f"; {duration(runs * sum(took) / len(took))} left" if runs and took else ""

    def told(self, found: Standing, code: int) -> str:
        """Return a run's result in words."""
        what = {"reached": "reached its target", "missed": "did not reach its target"}.get(found.state, "broke off")
        if not found.over and code < 0:
            what += f", killed by signal {-code}"
        score = f", {found.score:.4f}" if isinstance(found.score, float) else ""
        return f"{what}, {found.seconds:.1f} s, {found.epochs} epochs{score}" if found.over else what

    def say(self, text: str) -> None:
        """Print progress on stderr."""
        print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock a folder within this context. Raises ValueError if another submit.py is using it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not locked(handle):
            raise ValueError(f"{folder}: found another submit.py at work, wanted one at a time")
        yield
    finally:
        os.close(handle)


def other_source(log: Path, config_file: Path | None) -> list[str]:
    """Return a run's files that have changed since. `config_file` is a config outside the repository."""
    outside = {f"config/{config_file.name}": config_file} if config_file else {}
    return [p for p, d in files_of(log).items() if sha256(outside.get(p, ROOT / p)) != d]


def sha256(path: Path) -> str | None:
    """Return the sha256 of a file; None if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def list_of(value: object) -> object:
    """Return a setting as JSON returns it."""
    return list(value) if isinstance(value, tuple) else value


def few(words: list[str]) -> str:
    """Return the first of some words, and how many more there are."""
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return ", ".join(words[:NAMED]) + more


def duration(seconds: float) -> str:
    """Return seconds in hours, minutes and seconds."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
