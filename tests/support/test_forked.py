"""Runs that are forked from a warm process: each is a run like any other, and none outlives who asked for it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forked import Warm
from tests.support.waiting import gone, has, wait_for

FOREVER = "epochs=1000000"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux alone")


def test_a_forked_run_is_a_run_like_any_other(tiny, warm, events, tmp_path):
    logs = [tmp_path / f"{i}.txt" for i in range(3)]
    assert tiny.train(logs[0], fresh=True).returncode == 0
    assert [warm.start(tiny.options(log)).wait(300) for log in logs[1:]] == [0, 0]
    alone, *forked = ({e.key: e for e in events(log)} for log in logs)
    assert len({found["seed"].value for found in (alone, *forked)}) == 3
    for found in forked:
        assert found.keys() == alone.keys()
        assert found["source"].metadata["files"] == alone["source"].metadata["files"]


def test_folder_streams_and_variables_are_the_runs_own(tiny, warm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "errors.txt").open("w") as errors:
        run = warm.start([*tiny.options(Path("log.txt")), "epoch=3"], (0, 1, errors.fileno()))
        assert run.wait(300) == 2 and run.poll() == 2
        more = {"RANK": "5", "WORLD_SIZE": "2"}
        assert warm.start(tiny.options(Path("log.txt")), (0, 1, errors.fileno()), more).wait(60) == 2
    said = (tmp_path / "errors.txt").read_text()
    assert said.startswith("train.py: ") and "did you mean" in said.splitlines()[0]
    assert said.splitlines()[-1] == "train.py: RANK: found 5 of 2 ranks, wanted 0..1"
    assert warm.start([*tiny.options(Path("log.txt"))]).wait(300) == 0 and has(tmp_path / "log.txt", "run_stop")


def test_a_run_that_is_killed_takes_nobody_along(endless, tiny, warm, tmp_path):
    log = tmp_path / "killed.txt"
    run = warm.start([*endless.options(log), FOREVER])
    wait_for(lambda: has(log, "run_start"))
    with pytest.raises(subprocess.TimeoutExpired):
        run.wait(0.01)
    assert run.poll() is None
    run.kill()
    assert run.wait(60) == -signal.SIGKILL and gone(run.pid)
    run.kill()  # nobody's number any more
    assert warm.start(tiny.options(tmp_path / "next.txt")).wait(300) == 0


def test_the_end_of_the_warm_process_is_that_of_its_runs(endless, events, tmp_path):
    log = tmp_path / "log.txt"
    with Warm(compiler=False) as warm:
        run = warm.start([*endless.options(log), FOREVER, "workers=1"])
        wait_for(lambda: has(log, "eval_accuracy"))
    assert gone(run.pid) and events(log)[-1].metadata["reason"] == "SIGTERM"
    assert warm.start(endless.options(log)) is None


def test_it_has_no_thread(warm):
    """OpenMP's would not be there in a fork, which would wait for them. OpenBLAS ends its own at every fork."""
    assert warm.start(["--help"], (0, 2, 2)).wait(300) == 0
    assert len(os.listdir(f"/proc/{warm.process.pid}/task")) == 1
