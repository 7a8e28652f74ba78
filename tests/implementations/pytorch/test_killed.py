"""Real training, killed before any operation on a file: the same command makes what is missing, and the checker finds
no error that the kill caused. Runs that learn nothing are killed everywhere in harness/test_leftovers.py. By default a
sample of the operations. EVERY=1 in the environment takes all of a run without checkpoints. Of one with checkpoints it
takes all but lines of the log, from the first epoch on."""

import dataclasses
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmark.generate import generate
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
from tests.support.tiny import define, environment

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux alone")]
SCRIPT = ROOT / "tests" / "support" / "killed.py"
SAMPLE = 3  # operations by default


def chosen(numbers: Sequence[int]) -> Sequence[int]:
    """Return all these operations, or some, the first and the last ones among them."""
    if os.environ.get("EVERY"):
        return numbers
    return [numbers[(len(numbers) - 1) * part // (SAMPLE - 1)] for part in range(SAMPLE)]


class Killing:
    """Makes sets of a run, and campaigns, in `out`. A run that is started next is killed before its operation `at`, if
    that is a number; if it is empty, its operations are noted."""

    def __init__(self, tiny, warm: Warm, folder: Path):
        self.tiny, self.folder, self.notes = tiny, folder / "made", folder / "notes"
        self.out = self.folder / "v1.0"
        self.next: list[str | None] = []
        start = forked_start(warm)

        def killing(launcher, program, share=ALL):
            at = self.next.pop(0) if self.next else None
            told = (
                {"KILL_ROOT": str(self.folder), "KILL_AT": at, "KILL_NOTES": str(self.notes)} if at is not None else {}
            )
            return start(launcher, program, type(share)(share.cores, {**share.variables, **told}))

        self.start = killing

    def make(self, checkpoints: bool = False, settings: tuple[str, ...] = ()) -> int:
        """The runs of submit.py, without what it asks train.py before the first."""
        files = {"problems": self.tiny.problems, "config": self.tiny.config, "settings": settings}
        reference = Implementation(ROOT / "implementations" / "pytorch")
        setup = Setup(reference, Launcher(), self.tiny.problem.name, self.tiny.data, self.out, "Us", "laptop", **files)
        kept = self.folder / "kept" if checkpoints else None
        return RunSet(setup, set_path(self.out / "Us", "laptop", "scaffold"), 1, checkpoints=kept).make()

    def a_set(self, *kills: str | None, **more) -> int:
        """Give the command once, and once more for each kill. Return the last exit code."""
        codes = []
        for kill in (*kills, None):
            self.next = [kill]
            codes.append(self.make(**more))
        return codes[-1]

    def operations(self, *kills: str, **more) -> list[str]:
        """Return the operations of the run that is started after these kills."""
        self.anew()
        self.a_set(*kills, "", **more)
        return self.notes.read_text().splitlines()

    def anew(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.notes.unlink(missing_ok=True)

    def faults(self) -> set[tuple[str, str]]:
        """Return codes and places of errors and warnings, but for those on times, scores and the untold problem."""
        found = judge([self.out / "Us"], edition=current()).findings
        return {(f.code, f.path) for f in found if f.severity in ("error", "warning") and f.code[:3] not in VARY}

    def is_whole(self, usual: set[tuple[str, str]], what: object) -> None:
        assert read_status(result_path(self.out / "Us", "laptop", "scaffold", 0)).state == "reached", what
        assert self.faults() <= usual, what
        assert not list(self.out.rglob("*.partial")), what
        assert not read_ledger(set_path(self.out / "Us", "laptop", "scaffold") / LEDGER).faults, what


VARY = ("CLK", "EVL")


@pytest.fixture
def killing(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(leftovers, "QUIET_HERE", 0.0)  # who is killed here writes nothing more
    with Warm(environment=environment(), script=SCRIPT) as warm:
        found = Killing(tiny, warm, tmp_path)
        monkeypatch.setattr(Launcher, "start", lambda self, program, share=ALL: found.start(self, program, share))
        yield found


@pytest.fixture
def third(killing):
    """The same with a run that writes checkpoints, and reaches its target in the third epoch."""
    folder, tiny = killing.folder.parent, killing.tiny
    problem = dataclasses.replace(tiny.problem, name="third", target=0.14)
    generate(folder / "data", problem)
    path = define(folder / "third.yaml", problem)
    killing.tiny = dataclasses.replace(tiny, problem=problem, problems=path, data=folder / "data")
    return killing


CHECKPOINTS = {"checkpoints": True, "settings": ("--rehearsal-seed", "9", "epochs=5", "average_epochs=5")}


def test_a_training_that_is_killed(killing):
    count = len(killing.operations())
    usual = killing.faults()
    assert count > 40
    for at in chosen(range(count)):
        killing.anew()
        assert killing.a_set(str(at)) == 0
        killing.is_whole(usual, at)


def epochs_of(killing: Killing) -> list[int]:
    """Return the epochs that the run's log has. One that was trained again counts once."""
    log = result_path(killing.out / "Us", "laptop", "scaffold", 0)
    events = (e for e in read_log(log) if isinstance(e, Event) and e.key == "epoch_stop")
    return list(dict.fromkeys(e.metadata["epoch_num"] for e in events))


def test_a_training_that_is_killed_while_it_writes_checkpoints(third):
    names = third.operations(**CHECKPOINTS)
    usual, first = third.faults(), next(at for at, name in enumerate(names) if "epoch_start" in name)
    assert epochs_of(third) == [1, 2, 3]
    for at in chosen([at for at, name in enumerate(names) if at >= first and ":::MLLOG" not in name]):
        third.anew()
        assert third.a_set(str(at), **CHECKPOINTS) == 0
        third.is_whole(usual, at)
        assert epochs_of(third) == [1, 2, 3], at
