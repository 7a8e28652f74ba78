"""Make the trials of a campaign, as many at once as it says. Interrupted trials are moved aside and made again."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmark.collect import collect, snapshot
from benchmark.tuning.folder import Opened, open_folder

from ..start import Process
from ..submitting.aside import move_aside
from ..submitting.campaign import WRONG, few, other_source
from ..submitting.several import run_all
from ..submitting.standing import Standing, standing


@dataclass(frozen=True)
class Trials:
    """The trials of the campaign in `folder`, which belongs to a submission. `start(log)` starts a trial. `ask(index)`
    has the outside sampler propose a point, if the campaign has one."""

    submission: Path
    folder: Path
    opened: Opened
    start: Callable[[Path], Process]
    ask: Callable[[int], None] | None = None
    config_file: Path | None = None

    def log(self, index: int) -> Path:
        """Return the log of a trial."""
        return self.folder / f"result_{index}.txt"

    def standings(self) -> list[Standing]:
        """Return the state of each trial."""
        return [standing(self.log(index)) for index in range(self.opened.campaign.trials)]

    def make(self) -> int:
        """Make the missing trials. Return 0 if all are over, 1 if some were interrupted, 2 if they cannot be made."""
        campaign, now = self.opened.campaign, self.standings()
        todo = [index for index, found in enumerate(now) if not found.over]
        say(f"{campaign.trials - len(todo)} of {campaign.trials} trials are over")
        for index in set(range(campaign.trials)) - set(todo):
            if others := other_source(self.log(index), self.config_file):
                raise ValueError(f"{self.log(index)}: found other source than now: {few(others)}; wanted the same code")
        source: dict[str, bytes] = {}

        def begin(index: int) -> Process:
            source.update(snapshot(*filter(None, [self.config_file])))  # the code that the trial will load
            return self.begin(index, now[index])

        def ended(index: int, code: int) -> bool:
            collect(self.submission, source)
            found = standing(self.log(index))
            say(f"trial {index} of {campaign.trials}: {told(found)}; {self.best()}")
            return code == WRONG or (code > 0 and not found.started)

        if not run_all(todo, campaign.parallel, begin, ended):
            return WRONG
        return 0 if all(found.over for found in self.standings()) else 1

    def begin(self, index: int, found: Standing) -> Process:
        """Start a trial, after moving the files of an interrupted one aside."""
        if self.ask and index not in open_folder(self.folder).asked:
            self.ask(index)
        log = self.log(index)
        if place := move_aside([log], f"broke off after {found.epochs} epochs"):
            say(f"trial {index} broke off before: what is there of it is now in {place}")
        return self.start(log)

    def winner(self) -> int | None:
        """Return the trial that reached its target in the shortest time; None if none did."""
        reached = [(found.seconds, index) for index, found in enumerate(self.standings()) if found.state == "reached"]
        return min(reached)[1] if reached else None

    def best(self) -> str:
        """Return the best trial so far, in words."""
        best = self.winner()
        return "none reached the target yet" if best is None else f"best so far: trial {best}"


def told(found: Standing) -> str:
    """Return a trial's result in words."""
    what = {"reached": "reached the target", "missed": "ended without the target"}.get(found.state, "broke off")
    score = f", {found.score:.4f}" if isinstance(found.score, float) else ""
    return f"{what}, {found.seconds:.1f} s, {found.epochs} epochs{score}"


def say(text: str) -> None:
    """Print progress on stderr."""
    print(text, file=sys.stderr, flush=True)
