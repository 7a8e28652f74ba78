"""Real training that writes checkpoints, killed before any operation on a file: the same command makes what is missing,
and the checker finds no error that the kill caused. Runs that learn nothing are killed everywhere in
harness/test_leftovers.py. By default a sample of the operations; with EVERY=1 in the environment all."""

import dataclasses
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmark.ledger import read_ledger
from benchmark.log import Event, read_log
from benchmark.run.files import LEDGER
from benchmark.tree import result_path, set_path
from compliance.engine import judge
from harness import leftovers
from harness.implementation import Implementation
from harness.launcher import ALL, Launcher
from harness.options import Setup
from harness.runset import RunSet
from harness.status import read_status
from rules.current import current
from tests.support import ROOT
from tests.support.forked import Warm, forked_start
from tests.support.tiny import environment, make

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux alone")]
SETTINGS = ("--rehearsal-seed", "9", "epochs=5", "average_epochs=5")
VARY = ("CLK", "EVL")
SCRIPT = ROOT / "tests" / "support" / "killed.py"
SAMPLE = 6  # operations by default


def chosen(numbers: Sequence[int]) -> Sequence[int]:
    """Return all these operations, or some, the first and the last ones among them."""
    if os.environ.get("EVERY"):
        return numbers
    return [numbers[(len(numbers) - 1) * part // (SAMPLE - 1)] for part in range(SAMPLE)]


class Killing:
    """Makes sets of a run in `out`. The next run is killed before its operation `at`, if that is a number; if it is
    empty, its operations are noted."""

    def __init__(self, tiny, warm: Warm, folder: Path):
        self.tiny, self.folder, self.notes = tiny, folder / "made", folder / "notes"
        self.out = self.folder / "v1.0"
        self.at: str | None = None
        self.forked = forked_start(warm)

    def start(self, launcher: Launcher, program, share=ALL):
        """Launcher.start, of a run that may be killed."""
        told = {"KILL_ROOT": str(self.folder), "KILL_AT": self.at, "KILL_NOTES": str(self.notes)}
        variables = share.variables if self.at is None else {**share.variables, **told}
        self.at = None
        return self.forked(launcher, program, type(share)(share.cores, variables))

    def make(self, at: str | None = None) -> int:
        """The runs of submit.py, without what it asks train.py before the first."""
        self.at = at
        files = {"problems": self.tiny.problems, "config": self.tiny.config, "settings": SETTINGS}
        reference = Implementation(ROOT / "implementations" / "pytorch")
        setup = Setup(reference, Launcher(), self.tiny.problem.name, self.tiny.data, self.out, "Us", "laptop", **files)
        place = set_path(self.out / "Us", "laptop", "scaffold")
        return RunSet(setup, place, 1, checkpoints=self.folder / "kept").make()

    def faults(self) -> set[tuple[str, str]]:
        """Return codes and places of errors and warnings, but for those on times, scores and the untold problem."""
        found = judge([self.out / "Us"], edition=current()).findings
        return {(f.code, f.path) for f in found if f.severity in ("error", "warning") and f.code[:3] not in VARY}

    def is_whole(self, usual: set[tuple[str, str]], what: object) -> None:
        assert read_status(result_path(self.out / "Us", "laptop", "scaffold", 0)).state == "reached", what
        assert self.faults() <= usual, what
        assert not list(self.out.rglob("*.partial")), what
        assert not read_ledger(set_path(self.out / "Us", "laptop", "scaffold") / LEDGER).faults, what


@pytest.fixture
def killing(tiny, tmp_path, monkeypatch):
    """Of runs that reach their target in the third epoch."""
    monkeypatch.setattr(leftovers, "QUIET_HERE", 0.0)  # who is killed here writes nothing more
    problem = dataclasses.replace(tiny.problem, name="third", target=0.14)
    third = make(tmp_path, tiny.config.read_text(), None, problem)
    with Warm(environment=environment(), script=SCRIPT) as warm:
        found = Killing(third, warm, tmp_path)
        monkeypatch.setattr(Launcher, "start", lambda self, program, share=ALL: found.start(self, program, share))
        yield found


def epochs_of(killing: Killing) -> list[int]:
    """Return the epochs that the run's log has. One that was trained again counts once."""
    log = result_path(killing.out / "Us", "laptop", "scaffold", 0)
    events = (e for e in read_log(log) if isinstance(e, Event) and e.key == "epoch_stop")
    return list(dict.fromkeys(e.metadata["epoch_num"] for e in events))


def test_a_training_that_is_killed(killing):
    assert killing.make("") == 0
    usual, count = killing.faults(), len(killing.notes.read_text().splitlines())
    assert count > 40 and epochs_of(killing) == [1, 2, 3]
    for at in chosen(range(count)):
        shutil.rmtree(killing.folder)
        killing.make(str(at))
        assert killing.make() == 0
        killing.is_whole(usual, at)
        assert epochs_of(killing) == [1, 2, 3], at
