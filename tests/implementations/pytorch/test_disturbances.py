"""What goes wrong around a run: a clock that is set, files that are slow or vanish, and folders that become
read-only. A run that can't go on ends in a line that says why, and what was finished stays.

Killed and stopped processes are in training/test_stop.py and test_faults.py, damaged files there and in
training/test_checkpoint.py; test_killed.py kills before each operation on a file, and tests/project/test_full_disk.py
fills disks.
"""

import contextlib
import itertools
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.ledger import read_ledger
from benchmark.run.files import LEDGER
from tests.support.forked import Rank, Warm
from tests.support.tiny import environment
from tests.support.waiting import comes_to

HOUR = 3600
FOREVER = "epochs=1000000"
READING = ("workers=1", "cache_gib=0")  # every epoch from files
SYSTEM = """
import os, time

def told(name):
    try:
        with open(os.path.join(os.environ["DISTURBED"], name)) as file:
            return float(file.read())
    except (OSError, ValueError):
        return 0.0

system, system_ns, opened = time.time, time.time_ns, os.open
time.time = lambda: system() + told("clock")
time.time_ns = lambda: system_ns() + int(1e9 * told("clock"))

def slow(path, *more, **others):
    if os.fspath(path).endswith(".h5"):
        time.sleep(told("slow"))
    return opened(path, *more, **others)

os.open = slow
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux alone")


class System:
    """A system whose clock can be set and whose files are slow, as the processes that are forked here see it."""

    def __init__(self, folder: Path):
        (folder / "sitecustomize.py").write_text(SYSTEM)
        self.folder = folder
        path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
        self.warm = Warm(environment=environment() | {"PYTHONPATH": path, "DISTURBED": str(folder)})

    def set(self, name: str, seconds: float) -> None:
        """By how much the clock is ahead, or how long it takes to open a sample's file."""
        (self.folder / "new").write_text(str(seconds))
        os.replace(self.folder / "new", self.folder / name)


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Iterator[System]:
    system = System(tmp_path_factory.mktemp("system"))
    with system.warm:
        yield system


@pytest.fixture
def system(shared) -> System:
    for name in ("clock", "slow"):
        shared.set(name, 0)
    return shared


class Running(Rank):
    """A run that goes on, and what it says."""

    def ends(self) -> tuple[int, list[str]]:
        """Its exit code, and what it said but for its progress."""
        said = "".join(self.communicate())
        assert "Traceback" not in said, said
        return self.returncode, [line for line in said.splitlines() if not line.startswith("epoch ")]


@pytest.fixture
def start(system):
    """Starts a run; whatever becomes of the test, none is left."""
    with contextlib.ExitStack() as stack:

        def run(options: list[str]) -> Running:
            found = Running(system.warm, options, {})
            stack.callback(found.kill)
            return found

        yield run


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
def test_a_clock_that_is_set_changes_no_time(endless, events, system, start, tmp_path, seconds):
    log, begin = tmp_path / "log.txt", time.monotonic()
    run = start([*endless.options(log), FOREVER])
    comes_to(run, log, "eval_accuracy")
    system.set("clock", seconds)
    comes_to(run, log, "eval_accuracy", 3)
    run.send_signal(signal.SIGTERM)
    code, said = run.ends()
    assert code == 128 + signal.SIGTERM
    assert [line for line in said if f"clock set by {seconds:+} s meanwhile" in line]
    times = [e.time_ms for e in events(log)]
    assert all(a <= b for a, b in itertools.pairwise(times))
    assert times[-1] - times[0] <= 1000 * (time.monotonic() - begin)
    first, last = read_ledger(tmp_path / LEDGER).entries
    assert times[0] <= first.time_ms <= times[-1] <= last.time_ms < times[-1] + 60_000


def test_a_run_does_not_go_on_before_its_own_past(endless, system, start, tmp_path):
    log, folder = tmp_path / "log.txt", tmp_path / "checkpoints"
    options = [*endless.options(log), "--checkpoint", str(folder), "--resume", "epochs=4"]
    run = start(options)
    comes_to(run, log, "eval_accuracy", 2)
    run.kill()
    run.ends()
    before = log.read_bytes()
    system.set("clock", -HOUR)
    code, (said,) = start(options).ends()
    assert code == 2 and said.startswith(f"train.py: {log}: found times 3") and "not set back" in said
    assert log.read_bytes() == before
    system.set("clock", 0)
    code, said = start(options).ends()
    assert code == 1 and "after 4 epochs, wanted 2.0" in said[-1]


def test_checkpoints_that_vanish_are_written_again(endless, system, start, tmp_path):
    log, folder = tmp_path / "log.txt", tmp_path / "checkpoints"
    system.set("slow", 0.1)
    run = start([*endless.options(log), "--checkpoint", str(folder), *READING, "epochs=3"])
    comes_to(run, log, "eval_accuracy")
    shutil.rmtree(folder)
    assert run.ends()[0] == 1 and [path.name for path in folder.glob("epoch_*")] == ["epoch_000003"]


def test_a_read_only_folder_of_checkpoints(endless, events, system, start, read_only, tmp_path):
    """The run ends, and goes on from the checkpoint that is there when it can write again."""
    log, folder = tmp_path / "log.txt", tmp_path / "checkpoints"
    options = [*endless.options(log), "--checkpoint", str(folder), "--resume", *READING, "epochs=6"]
    system.set("slow", 0.05)
    run = start(options)
    comes_to(run, log, "eval_accuracy")
    with read_only(folder):
        code, (said,) = run.ends()
    system.set("slow", 0)
    assert code == 1 and said.startswith(f"train.py: rank 0: {folder}/epoch_") and "ermi" in said
    assert events(log)[-1].metadata["status"] == "aborted"
    code, said = start(options).ends()
    assert code == 1 and "after 6 epochs, wanted 2.0" in said[-1]
    scores = [e.metadata["epoch_num"] for e in events(log) if e.key == "eval_accuracy"]
    assert scores == list(range(1, 7))
