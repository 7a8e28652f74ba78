"""Real training, killed before any operation on a file: the same command makes what is missing, and the checker finds
no error that the kill caused. Runs that learn nothing are killed everywhere in harness/test_leftovers.py. By default a
sample of the operations; EVERY=1 in the environment takes all."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from benchmark.ledger import read_ledger
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
from tests.support.forked import Warm, forked_start
from tests.support.tiny import environment

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux alone")]
ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "tests" / "support" / "killed.py"
SAMPLE = 3  # operations by default


def chosen(count: int, first: int = 0) -> list[int]:
    """All operations from the `first` on, or some, the last ones among them."""
    if os.environ.get("EVERY"):
        return list(range(first, count))
    return sorted({first + (count - 1 - first) * part // (SAMPLE - 1) for part in range(SAMPLE)})


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
        setup = Setup(reference, Launcher(), "tiny", self.tiny.data, self.out, "Us", "laptop", **files)
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
    with Warm(compiler=False, environment=environment(), script=SCRIPT) as warm:
        found = Killing(tiny, warm, tmp_path)
        monkeypatch.setattr(Launcher, "start", lambda self, program, share=ALL: found.start(self, program, share))
        yield found


def test_a_training_that_is_killed(killing):
    count = len(killing.operations())
    usual = killing.faults()
    assert count > 40
    for at in chosen(count):
        killing.anew()
        assert killing.a_set(str(at)) == 0
        killing.is_whole(usual, at)


@pytest.mark.skipif(not os.environ.get("EVERY"), reason="three runs for each operation")
def test_a_training_that_is_killed_while_it_is_resumed(killing):
    """Also a second time, and while it writes its checkpoints."""
    more = {"checkpoints": True, "settings": ("epochs=3",)}
    names = killing.operations(**more)
    usual = killing.faults()
    first = str(1 + max(at for at, name in enumerate(names) if "epoch_stop" in name))
    again = len(killing.operations(first, **more))
    for kills in [(str(at),) for at in chosen(len(names))] + [(first, str(at)) for at in chosen(again)]:
        killing.anew()
        assert killing.a_set(*kills, **more) == 0
        killing.is_whole(usual, kills)
