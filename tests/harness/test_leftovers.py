"""A machine that dies before any operation on a file, or a run that is killed there: the same command puts all in
order, the run counts if it was over, and the checker finds nothing but what it finds of a set that nobody disturbed.

The runs learn nothing. They are made in forks of this process, which kill themselves before their n-th operation."""

import contextlib
import hashlib
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import safetensors.numpy

from benchmark.config import Settings, setting
from benchmark.ledger import End, Note, read_ledger
from benchmark.log import LogWriter
from benchmark.run import keys, process
from benchmark.run.describe import Implementation as Described
from benchmark.run.devices import processor
from benchmark.run.files import LEDGER, weights_path
from benchmark.run.ledger import append_end, append_start
from benchmark.run.options import parse_options
from benchmark.tree import SUPERSEDED, set_path
from compliance.engine import judge
from harness import leftovers
from harness.implementation import Implementation
from harness.launcher import ALL, Launcher
from harness.leftovers import LATE
from harness.options import Setup
from harness.processes import Share
from harness.runset import RunSet
from harness.status import read_status
from rules.current import current
from tests.support import ROOT
from tests.support.operations import Operations

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and kills at system calls")
RUNS = 2
Make = Callable[[Callable[[], int]], int]


@pytest.fixture(autouse=True)
def near(tmp_path, monkeypatch):
    """The folders of kernels that killed processes leave go with the test's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@dataclass(frozen=True)
class Config(Settings):
    batch_size: int = setting(2, least=1)
    precision: str = setting("float32")
    device: str = setting("cpu", machine=True)


def train(setup: process.Setup) -> None:
    """Reach the target at once."""
    process.log_head(setup, processor(), 8, {"opt_name": "adam"}, current())
    log = setup.log
    log.start("run")
    log.epoch = 1
    log.evaluation(keys.mllog.EVAL_ACCURACY, 0.5, 1, setup.problem.validation_samples)
    log.stop(keys.SUCCESS)
    numbers = np.frombuffer(setup.seed.to_bytes(8), np.uint8).astype(np.float32)  # no other run's
    log.weights(safetensors.numpy.save({"w": numbers}))


def in_fork(act: Callable[[], int]) -> int:
    """Return the exit code of a function in a process of its own."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = act()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Stage:
    """A set of RUNS in `out`, of which `kept` are there before every kill."""

    def __init__(self, tiny, folder: Path, kept: int):
        self.tiny, self.folder = tiny, folder
        self.out, self.notes = folder / "v1.0", folder / "notes"
        self.config = folder / "toy.yaml"
        self.config.write_text("batch_size: 2\n")
        self.runs = self.set_of(RUNS)
        self.logs = [self.runs.log(run) for run in range(RUNS)]
        assert in_fork(self.set_of(kept).make) == 0
        shutil.copytree(self.out, folder / "kept")

    def set_of(self, runs: int, make: Make = lambda run: run()) -> RunSet:
        """The set, whose runs are made by `make`."""

        class Here(Setup):
            def start(self, log: Path, more: Sequence[str] = (), share: Share = ALL) -> SimpleNamespace:
                options = parse_options(None, [*self.options(), "--log", str(log), *more])
                us = Described("toy", ("--head", "--describe"), "none")
                code = make(lambda: process.run_process(options, us, Config, log.parent, train))
                return SimpleNamespace(poll=lambda: code, wait=lambda: code)

        files = {"problems": self.tiny.problems, "config": self.config}
        setup = Here(Implementation(self.out), Launcher(), "tiny", self.tiny.data, self.out, "Us", "box", **files)
        return RunSet(setup, set_path(self.out / "Us", "box", "scaffold"), runs)

    def again(self) -> None:
        shutil.rmtree(self.out)
        shutil.copytree(self.folder / "kept", self.out)

    def watched(self, last: int | None, act: Callable[[], int]) -> int:
        """Do something in a process that is killed before its operation number `last`: the exit code."""

        def work() -> int:
            Operations(str(self.out), last, str(self.notes))
            return act()

        return in_fork(work)

    def machine_dies(self, last: int | None, anew: bool = False) -> None:
        """The command, and its run with it."""
        code = self.watched(last, partial(self.runs.make, anew=anew))
        assert code == (0 if last is None else -signal.SIGKILL)

    def run_dies(self, last: int | None) -> None:
        """The run alone; the command goes on."""
        assert in_fork(self.set_of(RUNS, partial(self.watched, last)).make) in (0, 1)

    def run_dies_at(self, what: str) -> None:
        """The same before the first operation with such a name."""
        seen = self.operations(self.run_dies)
        self.again()
        self.run_dies(next(i for i, name in enumerate(seen) if what in name))

    def operations(self, act: Callable[[None], None]) -> list[str]:
        """Return what is done to files where nobody kills."""
        self.notes.unlink(missing_ok=True)
        self.again()
        act(None)
        return self.notes.read_text().splitlines()

    def contents(self) -> Counter[bytes]:
        """Return the contents of logs, environments and weights, and how often each is there."""
        files = self.runs.folder.rglob("*")
        return Counter(p.read_bytes() for p in files if p.name.startswith(("result_", "environment_")))

    def faults(self) -> set[tuple[str, str]]:
        """Return the codes and places of errors and warnings, but for those on times and scores, which differ from run
        to run."""
        findings = judge([self.out / "Us"], edition=current()).findings
        wrong = (f for f in findings if f.severity in ("error", "warning"))
        return {(f.code, f.path) for f in wrong if not f.code.startswith(("CLK", "EVL"))}

    def put_in_order(self) -> None:
        """Give the command again. What was over counts as it is."""
        over = {log: log.read_bytes() for log in self.logs if read_status(log).finished}
        assert in_fork(self.runs.make) == 0
        for log in self.logs:
            assert read_status(log).state == "reached"
            assert log.read_bytes() == over.get(log, log.read_bytes())


class Few:
    """A recorder of source that knows of two files, so that copying them takes few operations."""

    def files_with(self, path: Path, data: bytes) -> tuple[dict[str, str], str]:
        config, code = f"config/{path.name}", "benchmark/log.py"
        return {code: sha256((ROOT / code).read_bytes()), config: sha256(data)}, config


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(scope="module")
def staged(tiny, tmp_path_factory):
    """Makes stages. Runs that are killed write nothing more, so that nobody needs to wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leftovers, "QUIET_HERE", 0.0)
        patch.setattr(process, "install", Few)
        yield lambda kept: Stage(tiny, tmp_path_factory.mktemp("killed"), kept)


@pytest.fixture(scope="module")
def stage(staged) -> Stage:
    return staged(1)


def kill_everywhere(stage: Stage, act: Callable[[int | None], None], count: Callable[[list[str]], int] = len) -> None:
    """Kill before each of the first operations, as many as `count` says, and give the same command again each time."""
    most = count(stage.operations(act))
    usual = stage.faults()
    assert most
    for number in range(most):
        stage.again()
        act(number)
        stage.put_in_order()
        assert stage.faults() <= usual, number
        assert not list(stage.out.rglob("*.partial")), number
        assert not read_ledger(stage.runs.folder / LEDGER).faults, number


def aside(seen: list[str]) -> int:
    """How many operations move a set aside."""
    return next(i for i, what in enumerate(seen) if "result_" in what and "open" in what)


def test_a_machine_that_dies_at_any_moment(stage):
    kill_everywhere(stage, stage.machine_dies)


@pytest.mark.parametrize("anew", [True, False])
def test_a_machine_that_dies_while_runs_are_moved_aside(staged, anew):
    """What belongs to a log that was moved follows it, so that nothing is written over."""
    whole = staged(RUNS)
    before = whole.contents()
    assert before.total() == 3 * RUNS

    def die(last: int | None) -> None:
        whole.machine_dies(last, anew=True)
        if last is not None:
            assert in_fork(partial(whole.runs.make, anew=anew)) == 0
            assert before <= whole.contents()
            moved = [place for place in whole.runs.folder.glob(f"{SUPERSEDED}/*") if any(place.iterdir())]
            assert all(weights_path(log).exists() for place in moved for log in place.glob("result_*.txt"))

    kill_everywhere(whole, die, aside)


def test_a_run_that_is_killed_at_any_moment(stage):
    kill_everywhere(stage, stage.run_dies)


def test_an_end_that_is_recorded_later_says_so(stage):
    """The run was killed before it could log its weights, which lie beside; the command that made it goes on."""
    stage.run_dies_at('"weights"')
    *_, note, end = read_ledger(stage.runs.folder / LEDGER).entries
    log = stage.logs[1]
    assert note.said == Note(end.said.of, LATE) and end.said == End(end.said.of, "success", sha256(log.read_bytes()))
    assert not weights_path(log).exists()
    (kept,) = stage.runs.folder.glob(f"{SUPERSEDED}/*/weights/result_1.safetensors")
    assert len(safetensors.numpy.load(kept.read_bytes())["w"]) == 8
    reviews = [f for f in judge([stage.out / "Us"], edition=current()).findings if f.code == "LED06"]
    assert [(f.severity, f.line) for f in reviews] == [("review", end.number)] and LATE in reviews[0].found


def test_a_rank_that_was_taken_for_dead_records_its_end_itself(stage):
    """It writes its weights and its end after the command has recorded one for it. A reviewer is told, no more."""
    stage.run_dies_at("weights")
    usual, log = stage.faults(), stage.logs[1]
    *_, note, _ = read_ledger(stage.runs.folder / LEDGER).entries
    assert note.said.text == LATE
    data = safetensors.numpy.save({"w": np.frombuffer(os.urandom(8), np.uint8).astype(np.float32)})
    weights_path(log).parent.mkdir(exist_ok=True)
    weights_path(log).write_bytes(data)
    with contextlib.closing(LogWriter(log, append=True)) as rest:
        rest.event("weights", sha256(data), bytes=len(data), path=f"weights/{weights_path(log).name}")
    append_end(stage.runs.folder / LEDGER, note.said.of, "success", sha256(log.read_bytes()))
    assert stage.faults() <= usual
    assert len([f for f in judge([stage.out / "Us"], edition=current()).findings if f.code == "LED06"]) == 1
    before = stage.contents()
    stage.put_in_order()
    assert stage.contents() == before


@pytest.mark.parametrize(
    ("host", "ago", "writes", "waited"),
    [
        ("another", 0, 4, [120.0] * 4),
        (platform.node(), 0, 4, [2.0] * 4),  # it ends with its command
        ("another", 10**6, 0, []),
        ("another", -3600, 0, [120.0]),  # the file system's clock is an hour ahead
    ],
)
def test_a_run_is_waited_for_as_long_as_it_writes(tmp_path, monkeypatch, host, ago, writes, waited):
    """Its log is complete. A rank on a node `host` writes the weights meanwhile, and then records the end."""
    log, naps = tmp_path / "result_0.txt", []
    digests = dict.fromkeys(("source", "config", "problem"), "0" * 64)
    start, _ = append_start(tmp_path / LEDGER, log.name, 7, digests, False)
    with contextlib.closing(LogWriter(log)) as writer:
        writer.event("devices", [{"host": host, "kind": "cpu", "name": "x", "ranks": 1, "uuids": []}])
        writer.start("run_start")
        writer.end("run_stop", status="success")
    os.utime(log, (time.time() - ago,) * 2)
    partial = tmp_path / "weights" / ".result_0.safetensors.1.partial"
    partial.parent.mkdir()

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) < writes:
            partial.touch()
            os.utime(partial, (time.time() + len(naps),) * 2)
        elif len(naps) == writes:
            append_end(tmp_path / LEDGER, start, "success", sha256(log.read_bytes()))

    monkeypatch.setattr(leftovers.time, "sleep", nap)
    leftovers.put_in_order(tmp_path)
    said = [type(entry.said).__name__ for entry in read_ledger(tmp_path / LEDGER).entries]
    assert naps == waited and said == (["Start", "End"] if writes else ["Start", "Note", "End"])
