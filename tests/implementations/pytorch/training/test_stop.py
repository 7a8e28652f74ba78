"""Runs that go wrong: each ends by itself, with an exit code and a log that say so."""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.waiting import children, comes_to, gone, wait_for

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
FOREVER = "epochs=1000000"


@contextmanager
def running(tiny, log: Path, *settings: str, **options):
    """A run that has logged its first evaluation."""
    with tiny.start(log, *settings, **options) as process:
        try:
            comes_to(process, log, "eval_accuracy")
            yield process
        finally:
            process.kill()


def end_of(log: Path, events) -> dict:
    """The metadata of the last event, which is run_stop and the only one."""
    found = events(log)
    assert [e.key for e in found].count("run_stop") == 1 and found[-1].key == "run_stop"
    return found[-1].metadata


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_signal(endless, events, tmp_path, number):
    log = tmp_path / "log.txt"
    with running(endless, log, FOREVER, "workers=1") as process:
        workers = children(process.pid)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
    assert end_of(log, events) | {"status": "aborted", "reason": number.name} == end_of(log, events)
    wait_for(lambda: all(map(gone, workers)), 60)


def test_signal_to_torchrun(endless, events, tmp_path):
    log = tmp_path / "log.txt"
    with running(endless, log, FOREVER, ranks=2, fresh=True) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) != 0
    assert end_of(log, events)["status"] == "aborted"


@pytest.mark.parametrize(("victim", "layout", "fresh"), [(0, "2,1,1,1", False), (1, "1,2,1,1", True)])
def test_killed_rank(endless, events, tmp_path, victim, layout, fresh):
    log = tmp_path / "log.txt"
    with running(endless, log, FOREVER, "--layout", layout, ranks=2, fresh=fresh) as process:
        forked = getattr(process, "ranks", None)  # by the tests, in torchrun's place
        ranks = [rank.pid for rank in forked] if forked else children(process.pid)
        os.kill(ranks[victim], signal.SIGKILL)
        assert process.wait(40) == 1
    if victim == 1:  # nobody is left to log rank 0's own sudden death
        assert end_of(log, events)["status"] == "aborted"
    assert all(map(gone, ranks))


def test_loss_that_is_no_number(tiny, events, tmp_path):
    log = tmp_path / "log.txt"
    done = tiny.train(log, "learning_rate=9e15", ranks=2)
    assert done.returncode == 1 and done.stderr.count("the loss is nan") == 1
    assert end_of(log, events)["reason"].startswith("the loss is nan in epoch 1")
