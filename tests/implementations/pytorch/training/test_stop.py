"""Runs that go wrong: each rank ends by itself, with an exit code, one line that says why, and a log that says so."""

import os
import resource
import shutil
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.waiting import children, comes_to, gone, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ranks are forked, and found in /proc")
FOREVER = "epochs=1000000"
PATIENT = "timeout_seconds=5"


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


def ends(rank) -> str:
    """The line that a rank ends with, if it says one. Nobody ends it where ranks are forked."""
    _, said = rank.communicate(timeout=90)
    lines = [line for line in said.splitlines() if line.startswith("train.py: ")]
    assert rank.returncode in (1, 2) and len(lines) <= 1 and "Traceback" not in said, said
    return "".join(lines)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_signal(endless, events, log, number):
    with running(endless, log, FOREVER, "workers=1") as process:
        workers = children(process.pid)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
    assert end_of(log, events) | {"status": "aborted", "reason": number.name} == end_of(log, events)
    wait_for(lambda: all(map(gone, workers)), 60)


@pytest.mark.parametrize(("victim", "layout", "fresh"), [(0, "2,1,1,1", False), (1, "1,2,1,1", True)])
def test_killed_rank(endless, events, log, victim, layout, fresh):
    with running(endless, log, FOREVER, "--layout", layout, ranks=2, fresh=fresh) as process:
        forked = getattr(process, "ranks", None)  # by the tests, in torchrun's place
        ranks = [rank.pid for rank in forked] if forked else children(process.pid)
        os.kill(ranks[victim], signal.SIGKILL)
        assert process.wait(40) == 1
    if victim == 1:  # nobody is left to log rank 0's own sudden death
        assert end_of(log, events)["status"] == "aborted"
    assert all(map(gone, ranks))


def test_loss_that_is_no_number(tiny, events, log):
    done = tiny.train(log, "learning_rate=9e15", ranks=2)
    assert done.returncode == 1 and done.stderr.count("the loss is nan") == 1
    assert end_of(log, events)["reason"].startswith("the loss is nan in epoch 1")


def test_dead_data_worker(endless, events, log):
    more = ("--layout", "1,2,1,1", FOREVER, PATIENT, "workers=1", "cache_gib=0")
    with running(endless, log, *more, ranks=2) as run:
        os.kill(children(run.ranks[1].pid)[0], signal.SIGKILL)
        assert ends(run.ranks[1]) == "train.py: rank 1: a reader process died"
        assert "another rank ended or cannot be reached" in ends(run.ranks[0])
    assert "another rank ended" in end_of(log, events)["reason"]


@pytest.mark.parametrize(("layout", "sharding"), [("2,1,1,1", "fsdp"), ("1,2,1,1", "ddp")])
def test_rank_that_stands_still(endless, events, log, layout, sharding):
    """It is there and doesn't answer: the others wait as long as they were told to."""
    with running(endless, log, "--layout", layout, FOREVER, PATIENT, f"sharding={sharding}", ranks=2) as run:
        run.ranks[1].send_signal(signal.SIGSTOP)
        assert "rank 0: another rank ended or cannot be reached" in ends(run.ranks[0])
    assert "another rank ended" in end_of(log, events)["reason"]


def test_damaged_checkpoint(endless, log, folder):
    """One rank finds it; both end with the same exit code, and one says why. Log and checkpoint stay as they are."""
    options = ("--layout", "2,1,1,1", "sharding=fsdp", "--checkpoint", str(folder), "--resume", FOREVER, PATIENT)
    with running(endless, log, *options, ranks=2):
        pass
    part = max(folder.glob("epoch_*")) / "part_000001.safetensors"
    whole = bytearray(part.read_bytes())
    whole[-1] ^= 1
    part.write_bytes(whole)
    before = log.read_bytes()
    with endless.start(log, *options, ranks=2) as run:
        said = [ends(rank) for rank in run.ranks]
    assert [rank.returncode for rank in run.ranks] == [2, 2]
    assert said[1] == "" and said[0].startswith(f"train.py: rank 0: damaged checkpoint: rank 1: {part}: found sha256 ")
    assert log.read_bytes() == before and part.read_bytes() == whole


def test_disk_is_full_for_staging(tiny, events, tmp_path):
    data, log, folder = tmp_path / "data", tmp_path / "log.txt", tmp_path / "disk"
    shutil.copytree(tiny.data, data)
    (data / "large").write_bytes(bytes(200_000))
    with tiny.start(log, "--layout", "1,2,1,1", "--stage", str(folder), PATIENT, ranks=2, data=data) as run:
        for rank in run.ranks:  # before it writes anything: it has yet to import its modules
            resource.prlimit(rank.pid, resource.RLIMIT_FSIZE, (100_000, 100_000))
        said = [ends(rank) for rank in run.ranks]
    assert said[1] == "" and said[0].startswith(f"train.py: rank 0: staging to {folder}: rank 0: ")
    assert "File too large" in end_of(log, events)["reason"] and not list(folder.iterdir())
