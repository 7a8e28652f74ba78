"""A machine that dies before any operation on a file of a campaign of tuning: the same command has the same trials,
those that were over as they were, and the checker finds nothing but what it finds of one that nobody disturbed."""

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmark.config import setting
from benchmark.run import process
from benchmark.run.describe import Implementation as Described
from benchmark.run.options import parse_options
from benchmark.run.trial import open_trial
from benchmark.tree import campaign_path
from benchmark.tuning.folder import open_folder
from harness import leftovers, tune
from harness.launcher import ALL
from harness.options import Setup
from harness.processes import Share
from tests.harness.test_leftovers import Config, Few, Made, Stage, in_fork, kill_everywhere, train

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and kills at system calls")
CAMPAIGN = """
problem: tiny
batch_size: 2
space: {learning_rate: {low: 1.0e-3, high: 1.0e-2, scale: log}}
trials: 2
budget: {epochs: 1}
parallel: 1
confirmations: 3
"""


CONFIRMED = [f"confirmation/result_{run}.txt" for run in range(3)]


@dataclass(frozen=True)
class Tuned(Config):
    learning_rate: float = setting(1e-3, above=0)
    epochs: int = setting(1, least=1)


def attempt(setup: process.Setup) -> None:
    """Reach the target at once, as a trial if it is one."""
    log = setup.options.log
    if setup.options.trial:
        setup.log.event("trial", open_trial(setup.options.trial, log, int(log.stem.partition("_")[2])).facts)
    train(setup)


def start(self: Setup, log: Path, more: Sequence[str] = (), share: Share = ALL) -> Made:
    """Make a run in this process, in place of `Setup.start`."""
    options = parse_options(None, [*self.options(), "--log", str(log), *self.settings, *more])
    us = Described("toy", ("--head", "--describe", "--trial"), "none")
    return Made(process.run_process(options, us, Tuned, log.parent, attempt))


class Campaign(Stage):
    """A campaign in `out`, of which nothing is there at first."""

    def __init__(self, tiny, folder: Path):
        super().__init__(tiny, folder)
        self.file = folder / "first.yaml"
        self.file.write_text(CAMPAIGN)
        (folder / "kept").mkdir()
        self.out.mkdir()

    @property
    def runs(self) -> SimpleNamespace:
        return SimpleNamespace(folder=campaign_path(self.out / "Us", "box", "scaffold", "first"))

    @property
    def logs(self) -> list[Path]:
        return [self.runs.folder / name for name in ("result_0.txt", "result_1.txt", *CONFIRMED)]

    def make(self) -> int:
        files = {"problems": self.tiny.problems, "config": self.config, "data": self.tiny.data, "out": self.out}
        named = {**files, "org": "Us", "system": "box"}
        return tune.main([str(self.file), *(part for key, value in named.items() for part in (f"--{key}", str(value)))])

    def machine_dies(self, last: int | None) -> None:
        assert in_fork(partial(self.watched, last, self.make)) == (0 if last is None else -signal.SIGKILL)

    def put_in_order(self) -> None:
        points = self.points()
        over = {log: log.read_bytes() for log in self.logs if leftovers.read_status(log).finished}
        assert in_fork(self.make) == 0
        assert points in (None, self.points())
        for log in self.logs:
            assert leftovers.read_status(log).state == "reached"
            assert log.read_bytes() == over.get(log, log.read_bytes())

    def points(self) -> list | None:
        """The points of the trials, once they are drawn."""
        try:
            opened = open_folder(self.runs.folder)
        except (OSError, ValueError):
            return None
        return [opened.point(index) for index in range(2)]


@pytest.fixture(scope="module")
def campaign(tiny, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "install", Few)
        patch.setattr(Setup, "start", start)
        patch.setattr(Setup, "describe", lambda self, share=ALL: None)
        patch.setattr(leftovers, "QUIET_HERE", 0.0)
        yield Campaign(tiny, tmp_path_factory.mktemp("campaign"))


def frozen(seen: list[str]) -> list[int]:
    """The operations of freezing it, up to the first trial's."""
    return list(range(next(i for i, what in enumerate(seen) if "result_0.txt" in what)))


def every(seen: list[str]) -> list[int]:
    """All others, or by default one of forty."""
    return list(range(len(frozen(seen)), len(seen), 1 if os.environ.get("EVERY") else 40))


def test_a_machine_that_dies_while_a_campaign_is_frozen(campaign):
    kill_everywhere(campaign, campaign.machine_dies, frozen)


@pytest.mark.slow
def test_a_machine_that_dies_at_any_other_moment_of_a_campaign(campaign):
    kill_everywhere(campaign, campaign.machine_dies, every)
