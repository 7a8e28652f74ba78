"""Runs that are forked from a warm process: each is a run like any other, and none outlives who asked for it."""

import os
import sys

import pytest

from tests.support.forked import Warm
from tests.support.waiting import comes_to, gone

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


def test_the_end_of_the_warm_process_is_that_of_its_runs(endless, events, tmp_path):
    log = tmp_path / "log.txt"
    with Warm() as warm:
        run = warm.start([*endless.options(log), FOREVER, "workers=1"])
        comes_to(run, log, "eval_accuracy")
    assert gone(run.pid) and events(log)[-1].metadata["reason"] == "SIGTERM"


def test_it_has_no_thread(warm):
    """OpenMP's would not be there in a fork, which would wait for them. OpenBLAS ends its own at every fork."""
    assert warm.start(["--help"], (0, 2, 2)).wait(300) == 0
    assert len(os.listdir(f"/proc/{warm.process.pid}/task")) == 1
