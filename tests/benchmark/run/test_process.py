import json
import os
import platform
import signal
import sys
from dataclasses import dataclass
from unittest.mock import Mock

import pytest

from benchmark.config import Settings, setting
from benchmark.environment import loaded
from benchmark.environment.facts import Fact
from benchmark.environment.manifest import NODE, RUN
from benchmark.launch import ENDING, WARNING
from benchmark.ledger import End, read_ledger
from benchmark.run import keys
from benchmark.run.describe import Implementation
from benchmark.run.devices import processor
from benchmark.run.errors import Aborted, WrongData
from benchmark.run.files import LEDGER
from benchmark.run.log import time_to_target
from benchmark.run.options import parse_options
from benchmark.run.process import log_head, run_process

FRAMEWORK = {"torch": Fact({"toy": "1.0"}, "toy.version")}
pytestmark = pytest.mark.usefixtures("handlers")
US = Implementation("toy", ("--head", "--describe"), "none")


@dataclass(frozen=True)
class Config(Settings):
    batch_size: int = setting(4, least=1)
    precision: str = setting("float32")
    device: str = setting("cpu", machine=True)


@pytest.fixture
def run(tiny, tmp_path, monkeypatch):
    """Makes a run, which does what it is told once its clock has started; the exit code."""
    for name in ("installed", "loaded_files"):  # this process has loaded a gigabyte, and reading it takes seconds
        monkeypatch.setattr(loaded, name, lambda: iter(()))
    (tmp_path / "tiny.yaml").write_text("batch_size: 2\n")

    def make(act, *more: str) -> int:
        def train(setup):
            assert setup.config.batch_size == 2
            log_head(setup, processor(), 7, {"opt_name": "adam"}, "v9.9", FRAMEWORK, toy="1.0")
            if not setup.options.head:
                setup.log.start("run")
                act(setup)

        files = ["--problem", "tiny", "--problems", str(tiny.problems), "--data", str(tiny.data)]
        options = parse_options(None, [*files, "--log", str(tmp_path / "result_0.txt"), "--org", "us", *more])
        return run_process(options, US, Config, tmp_path, train)

    return make


def reach(setup) -> None:
    setup.log.epoch = 1
    setup.log.evaluation(keys.mllog.EVAL_ACCURACY, 0.5, 1, 4)
    setup.log.stop(keys.SUCCESS)


def test_a_run_that_reaches_its_target_says_its_time(run, tmp_path, events, capsys):
    log = tmp_path / "result_0.txt"
    assert run(reach, "--rehearsal-seed", "7") == 0
    out, err = capsys.readouterr()
    start, end = read_ledger(tmp_path / LEDGER).entries
    assert out == f"time to target: {time_to_target(log):.3f} s\n"
    assert err == f"{tmp_path / LEDGER}: head {end.line}\n" and isinstance(end.said, End)
    found = {e.key: e for e in events(log)}
    assert (found["seed"].value, found["seed"].metadata["source"]) == (7, "rehearsal")
    assert found["submission_org"].value == "us" and found["versions"].value["toy"] == "1.0"
    assert found["ledger"].metadata["line"] == start.line and found["parameter_count"].value == 7
    names = ("number_of_nodes", "number_of_ranks", "accelerators_per_node", "layout")
    assert [found[name].value for name in names] == [1, 1, 0, {"data": 1, "depth": 1, "height": 1, "width": 1}]
    assert found["layout"].metadata["tile"] == [1] * 4 and "tf32" not in found["precision"].metadata
    manifest = json.loads((tmp_path / "environment_0.json").read_text())
    assert manifest["run"].keys() == RUN.keys() and len(manifest["run"]["command"]["value"]) == len(sys.argv)
    assert manifest["run"]["config"] == {"value": "batch_size: 2\n", "origin": ".../tiny.yaml"}
    (node,) = manifest["nodes"]
    assert node["hosts"] == [platform.node()] and node["facts"].keys() == NODE.keys()
    assert node["facts"]["kernel"]["value"]["machine"] == platform.machine()
    assert node["facts"]["torch"] == {"value": {"toy": "1.0"}, "origin": "toy.version"}
    assert node["facts"]["backends"] == {"value": None, "origin": "not told by this program"}
    order = [event.key for event in keys.EVENTS if event.key in found]
    assert [e.key for e in events(log) if e.key in order] == order  # as the table of the contract has them


def test_a_seed_is_fresh_unless_it_is_given(run, tmp_path, events):
    assert run(reach) == 0
    (seed,) = (e for e in events(tmp_path / "result_0.txt") if e.key == "seed")
    assert seed.metadata["source"] == "os.urandom" and 0 <= seed.value < 2**63


@pytest.mark.parametrize(
    ("act", "code", "why"),
    [
        (Mock(side_effect=Aborted("the loss is nan")), 1, "the loss is nan"),
        (Mock(side_effect=WrongData("a.h5: damaged")), 2, "a.h5: damaged"),
        (Mock(side_effect=OSError(28, "No space left on device", "a")), 1, "a: No space left on device"),
        (Mock(side_effect=KeyError("x")), 1, "KeyError('x')"),
        *((Mock(side_effect=SystemExit(n)), n, f"the program ended by itself, with {n}") for n in (3, 128, 200)),
        (Mock(side_effect=SystemExit("no disk")), 1, "the program ended by itself, with 'no disk'"),
        (Mock(side_effect=SystemExit()), 1, "the program ended by itself, with None"),
        (lambda setup: os.kill(os.getpid(), ENDING[0]), 128 + ENDING[0], ENDING[0].name),
        (lambda setup: os.kill(os.getpid(), WARNING[-1]), 128 + WARNING[-1], WARNING[-1].name),
        (lambda setup: None, 1, "the program returned without run_stop of a success"),
        (lambda setup: setup.log.end("epoch"), 1, "OutOfOrder('epoch_stop: found no epoch_start, wanted one before')"),
    ],
)
def test_a_run_that_ends_early_says_why(run, tmp_path, events, capsys, act, code, why):
    assert run(act) == code
    out, err = capsys.readouterr()
    assert out == "" and err.splitlines()[-1] == f"train.py: {why}"
    stop = events(tmp_path / "result_0.txt")[-1]
    assert (stop.key, stop.metadata["status"], stop.metadata["reason"]) == ("run_stop", "aborted", why)
    assert [e.said.status for e in read_ledger(tmp_path / LEDGER).entries if isinstance(e.said, End)] == ["aborted"]


def test_a_run_that_returns_after_an_aborted_end_is_none(run, capsys):
    assert run(lambda setup: setup.log.stop(keys.ABORTED, "no target")) == 1
    assert capsys.readouterr().err == "train.py: the program returned without run_stop of a success\n"


@pytest.mark.parametrize("full", ["benchmark.run.log.replacing", "benchmark.run.log.RunLog.event"])
def test_weights_that_cannot_be_written_leave_the_result(run, tmp_path, monkeypatch, capsys, full):
    def act(setup):
        reach(setup)
        monkeypatch.setattr(full, Mock(side_effect=OSError(28, "No space left on device", "a")))
        setup.log.weights(b"weights")

    assert run(act) == 0
    out, err = capsys.readouterr()
    assert out.startswith("time to target: ")
    assert err.splitlines()[0] == "train.py: final weights not written: a: No space left on device"
    assert [e.said.status for e in read_ledger(tmp_path / LEDGER).entries if isinstance(e.said, End)] == ["success"]
    assert not list(tmp_path.glob("weights/*"))


def test_a_signal_that_the_parent_has_ignored_is_none(run):
    """nohup has SIGHUP ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def act(setup):
        os.kill(os.getpid(), signal.SIGHUP)
        reach(setup)

    assert run(act) == 0 and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.parametrize("more", [["batch=3"], ["batch_size=0"], ["--config", "nowhere.yaml"], ["--problem", "tyny"]])
def test_a_wrong_command_is_one_line(run, tmp_path, capsys, more):
    assert run(reach, *more) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not (tmp_path / "result_0.txt").exists()


def test_a_description_makes_nothing_and_a_head_is_no_start(run, tmp_path, events, capsys):
    before = sorted(tmp_path.iterdir())
    assert run(reach, "--describe", "device=cuda") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["implementation"], found["device"], found["ranks"]) == ("toy", "cuda", 1)
    assert found["settings"] == {"batch_size": 2, "precision": "float32", "device": "cuda"}
    assert sorted(tmp_path.iterdir()) == before
    assert run(reach, "--head") == 0
    assert capsys.readouterr() == ("", "") and not (tmp_path / LEDGER).exists()
    head = [e.key for e in events(tmp_path / "result_0.txt")]
    assert head[0] == "cache_clear" and head[-1] == "init_stop" and {"seed", "source", "environment"} < set(head)
    assert "ledger" not in head
