"""Make what is missing of a set of runs: one after another, or several at once."""

import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.collect import collect, files_of
from benchmark.config import plain
from benchmark.ledger import read_ledger
from benchmark.run.files import LEDGER
from benchmark.source import ROOT
from benchmark.tree import system_path
from harness.implementation import Description, sha256
from harness.launcher import ALL
from harness.leftovers import put_in_order, record_ends
from harness.locking import locked
from harness.options import Setup
from harness.processes import SIGNALS, Process, Share, fresh_kernels, running
from harness.status import RunStatus, read_status
from harness.superseded import new_place, supersede
from harness.witnessing.attendance import Attendance

WRONG = 2  # exit code of a run with wrong data or a wrong command, with which every run would end
NAMED = 5  # files or settings that an error names
PAUSE = 0.05  # seconds between two looks at the processes
WORDS = {"reached": "reached its target", "missed": "did not reach its target"}


@dataclass(frozen=True)
class RunSet:
    """Runs 0, 1, ... of a setup, whose logs are in `folder`. `described` is what they are going to be, if that is known
    and the same for all. `checkpoints` is the folder of all runs' checkpoints, which keep those of all epochs with
    `keep_states`. `options_of` returns more options of train.py for a run. `what` is the word for a run in messages.
    `witness` attends the runs of a round that has one."""

    setup: Setup
    folder: Path
    runs: int
    described: Description | None = None
    checkpoints: Path | None = None
    options_of: Callable[[int], Sequence[str]] = lambda run: ()
    what: str = "run"
    witness: Attendance | None = None
    keep_states: bool = False

    def log(self, run: int) -> Path:
        """Return the log of a run."""
        return self.folder / f"result_{run}.txt"

    def checkpoint(self, run: int) -> Path:
        """Return the folder of a run's checkpoints."""
        return Path(self.checkpoints or "") / self.setup.system / self.setup.benchmark / self.log(run).stem

    def statuses(self) -> list[RunStatus]:
        """Return the state of each run."""
        return [read_status(self.log(run)) for run in range(self.runs)]

    def missing(self) -> list[int]:
        """Return the runs that are not finished."""
        return [run for run, found in enumerate(self.statuses()) if not found.finished]

    def todo(self, anew: bool, only: int | None) -> list[int]:
        """Return the runs that `make` would make."""
        return [run for run in (range(self.runs) if anew else self.missing()) if only in (None, run)]

    def make(self, shares: Sequence[Share] = (ALL,), anew: bool = False, only: int | None = None) -> int:
        """Make the missing runs, as many at once as there are `shares` of this node. `only` is the one run to make.
        `anew` moves it aside first, or else all runs of the set. Return the exit code: 0 all are finished, 1 some are
        not, 2 none could be made. Raises ValueError if the set was made with other code or settings, or if another
        command is at work on it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder):
            put_in_order(self.folder)
            again = self._made_again(only) if anew else []
            missing = self.missing()
            self.compare(run for run in range(self.runs) if run not in missing and self.log(run) not in again)
            if anew and self.checkpoints:  # first: a run without its log cannot be resumed from them
                for run in self.todo(anew, only):
                    self._set_aside(self.checkpoint(run))
            if place := supersede(again, "a new set was begun" if only is None else "the run is made again"):
                say(f"what was there is now in {place}")
            todo = self.missing()
            if len(todo) < self.runs:
                say(f"{self.runs - len(todo)} of {self.runs} {self.what}s are there")
            todo = [run for run in todo if only in (None, run)]
            if not todo:  # a command that was ended may have left the source half copied
                collect(self.setup.submission, self.setup.source())
            code = self._make_all(todo, list(shares))
            put_in_order(self.folder)
            if code == WRONG:
                return WRONG
            return int(any(only in (None, run) for run in self.missing()))

    def _set_aside(self, checkpoint: Path) -> None:
        """Move a run's folder of checkpoints to superseded/ beside it, if it has any."""
        if any(checkpoint.glob("epoch_*")):
            place = new_place(checkpoint.parent) / checkpoint.name
            place.parent.mkdir(parents=True, exist_ok=True)
            checkpoint.rename(place)

    def _made_again(self, only: int | None) -> list[Path]:
        """Return the logs that move aside for new ones: that of the run `only`, or all."""
        return sorted(self.folder.glob("result_*.txt")) if only is None else [self.log(only)]

    def _make_all(self, todo: list[int], free: list[Share]) -> int:
        """Make these runs, each with a free share. Return 0; or, as soon as a run shows that no further one can be
        made, 1 or 2."""
        source: dict[str, bytes] = {}
        taken: dict[int, Share] = {}
        code, jobs = 0, len(free)
        with fresh_kernels(self.setup.launcher.remove), running() as processes:
            while processes or (todo and not code):
                while todo and free and not code:
                    run = todo.pop(0)
                    taken[run] = free.pop(0)
                    source |= self.setup.source()  # the code that the run will load
                    processes[run] = self._start(run, taken[run])
                ended = [run for run, process in processes.items() if process.poll() is not None]
                for run in ended:
                    exit_code = processes.pop(run).wait()
                    free.append(taken.pop(run))
                    collect(self.setup.submission, source)
                    code = max(code, self._end(run, exit_code, len(todo) / jobs))
                if not ended:
                    time.sleep(PAUSE)
        return code

    def _start(self, run: int, share: Share) -> Process:
        """Start a run, or resume it from its checkpoint. What is there of one that cannot be resumed is moved aside."""
        log, more, found = self.log(run), list(self.options_of(run)), read_status(self.log(run))
        say(f"{log.stem}: {self.what} {run + 1} of {self.runs}")
        if self.checkpoints:
            more += ["--checkpoint", str(self.checkpoint(run)), "--resume"]
            more += ["--keep-states"] if self.keep_states else []
        resumed = found.state == "interrupted" and self.checkpoints and any(self.checkpoint(run).glob("epoch_*"))
        why = f"broke off after {found.epochs} epochs" if found.epochs else "broke off"
        if not resumed and (place := supersede([log], why)):
            say(f"{log.stem} {why}: what is there of it is now in {place}")
        more += self.witness.begin(log) if self.witness else []
        return self.setup.start(log, more, share)

    def _end(self, run: int, code: int, rounds: float) -> int:
        """Report how a run ended, with an estimate for the `rounds` of runs to come. Return 0 if further runs can be
        made, 1 if the job ends, 2 if they would end in the same way."""
        if self.witness:
            self.witness.end(self.log(run))
        record_ends(self.folder, self.log(run).name)
        found = read_status(self.log(run))
        say(f"{self.log(run).stem}: {described(found, code)}{self._left(rounds)}")
        if found.finished:
            if self.checkpoints and not self.keep_states:
                shutil.rmtree(self.checkpoint(run), ignore_errors=True)
            return 0
        if code == WRONG or (0 < code < SIGNALS and not found.started):
            return WRONG
        signalled = code < 0 or code >= SIGNALS
        return int(bool(self.setup.launcher.words) and (signalled or bool(code and self.checkpoints)))

    def compare(self, runs: Iterable[int]) -> None:
        """Raise ValueError if problem, source or settings of runs that are there are not those of runs to come, since
        all runs of a set must have the same."""
        for run in runs:
            log, found = self.log(run), read_status(self.log(run))
            if found.problem != self.setup.problem:
                raise ValueError(f"{log}: found problem {found.problem}, wanted {self.setup.problem} (--anew)")
            if others := other_source(log, self.setup.config):
                raise ValueError(f"{log}: found other source than now: {shortened(others)}; wanted the same (--anew)")
            if differ := differences(found, self.described):
                raise ValueError(f"{log}: found other settings than now: {shortened(differ)}; wanted the same (--anew)")

    def report(self, only: int | None = None) -> int:
        """Print the state of the set, or of one run of it, and what to do next. Return the exit code: 0 if every run
        reached its target, else 1."""
        runs = range(self.runs) if only is None else [only]
        now = {run: read_status(self.log(run)) for run in runs}
        reached = sum(found.state == "reached" for found in now.values())
        print(f"{reached} of {len(now)} {self.what}s reached the target: {self.setup.submission}")
        if head := read_ledger(self.folder / LEDGER).head:
            print(f"head of the launch ledger: {head}")
        if missing := [run for run, found in now.items() if not found.finished]:
            names = ", ".join(f"result_{run}" for run in missing)
            print(f"not there: {names}; the same command again makes {'it' if len(missing) == 1 else 'them'}")
        else:
            description = system_path(self.setup.submission, self.setup.system)
            print(f"look at {description}: complete what is empty, and what it asks you to say")
            print(f"next: python compliance/check.py {self.setup.submission}")
        return int(reached < len(now))

    def _left(self, rounds: float) -> str:
        """Return how long further rounds of runs will take, judged by the finished runs."""
        took = [found.seconds for found in self.statuses() if found.finished]
        return f"; {duration(rounds * sum(took) / len(took))} left" if rounds and took else ""


def described(found: RunStatus, code: int) -> str:
    """Return a run's result in words."""
    if not found.finished:
        return f"broke off, killed by signal {-code}" if code < 0 else f"broke off with exit code {code}"
    score = f", {found.score:.4f}" if found.score is not None else ""
    return f"{WORDS[found.state]}, {found.seconds:.1f} s, {found.epochs} epochs{score}"


def other_source(log: Path, config: Path | None) -> list[str]:
    """Return a run's files that have changed since. `config` is a config outside the repository."""
    outside = {f"config/{config.name}": config} if config else {}
    return [path for path, digest in files_of(log).items() if sha256(outside.get(path, ROOT / path)) != digest]


def differences(found: RunStatus, now: Description | None) -> list[str]:
    """Return the settings in which a run differs from what runs are now, in words."""
    if now is None or now.config_digest == found.config:
        return []
    before, values = found.settings, {name: plain(value) for name, value in now.settings.items()}
    return [f"{n} {before.get(n)}, now {v}" for n, v in values.items() if n not in before or before[n] != v]


def shortened(words: Sequence[str]) -> str:
    """Return the first of some words, and how many more there are."""
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return ", ".join(words[:NAMED]) + more


def duration(seconds: float) -> str:
    """Return seconds in hours, minutes and seconds."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def say(text: str) -> None:
    """Print progress on stderr."""
    print(text, file=sys.stderr, flush=True)
