"""Faults under split layouts: every rank ends by itself within a bounded time, one line says why, and so does the log.

Killed ranks are in test_stop.py.
"""

import os
import resource
import shutil
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.waiting import children, comes_to

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ranks are forked, and found in /proc")
ENDLESS = ("epochs=1000000", "timeout_seconds=5")


@contextmanager
def two_ranks(tiny, log: Path, *settings: str, limit: int = 0, data: Path | None = None):
    """Two ranks, of which nobody ends the other; `limit` is the largest file that they can write, in bytes."""
    with tiny.start(log, *settings, ranks=2, data=data) as run:
        if limit:  # before they write anything: they have yet to import their modules
            for rank in run.ranks:
                resource.prlimit(rank.pid, resource.RLIMIT_FSIZE, (limit, limit))
        yield run.ranks


def ends(process) -> str:
    """The line that a rank ends with, if it says one."""
    _, said = process.communicate(timeout=90)
    lines = [line for line in said.splitlines() if line.startswith("train.py: ")]
    assert process.returncode in (1, 2) and len(lines) <= 1 and "Traceback" not in said, said
    return "".join(lines)


def aborted(log: Path, events) -> str:
    """The reason in the log, which ends with it."""
    found = events(log)
    assert [e.key for e in found].count("run_stop") == 1 and found[-1].metadata["status"] == "aborted"
    return found[-1].metadata["reason"]


def test_dead_data_worker(endless, events, tmp_path):
    log = tmp_path / "log.txt"
    with two_ranks(endless, log, "--layout", "1,2,1,1", *ENDLESS, "workers=1", "cache_gib=0") as ranks:
        comes_to(ranks[0], log, "eval_accuracy")
        os.kill(children(ranks[1].pid)[0], signal.SIGKILL)
        assert ends(ranks[1]) == "train.py: rank 1: a reader process died"
        assert "another rank ended or cannot be reached" in ends(ranks[0])
    assert "another rank ended" in aborted(log, events)


@pytest.mark.parametrize(("layout", "sharding"), [("2,1,1,1", "fsdp"), ("1,2,1,1", "ddp")])
def test_rank_that_stands_still(endless, events, tmp_path, layout, sharding):
    """It is there and doesn't answer, as one whose cable was pulled: the others wait as long as they were told to."""
    log = tmp_path / "log.txt"
    with two_ranks(endless, log, "--layout", layout, *ENDLESS, f"sharding={sharding}") as ranks:
        comes_to(ranks[0], log, "eval_accuracy")
        ranks[1].send_signal(signal.SIGSTOP)
        assert "rank 0: another rank ended or cannot be reached" in ends(ranks[0])
    assert "another rank ended" in aborted(log, events)


def test_damaged_checkpoint(endless, tmp_path):
    """One rank finds it; both end with the same exit code, and one says why. Log and checkpoint stay as they are."""
    log, folder = tmp_path / "log.txt", tmp_path / "checkpoints"
    options = ("--layout", "2,1,1,1", "sharding=fsdp", "--checkpoint", str(folder), "--resume", *ENDLESS)
    with two_ranks(endless, log, *options) as ranks:
        comes_to(ranks[0], log, "eval_accuracy")
    part = max(folder.glob("epoch_*")) / "part_000001.safetensors"
    whole = bytearray(part.read_bytes())
    whole[-1] ^= 1
    part.write_bytes(whole)
    before = log.read_bytes()
    with two_ranks(endless, log, *options) as ranks:
        said = [ends(process) for process in ranks]
    assert [process.returncode for process in ranks] == [2, 2]
    assert said[1] == "" and said[0].startswith(f"train.py: rank 0: damaged checkpoint: rank 1: {part}: found sha256 ")
    assert log.read_bytes() == before and part.read_bytes() == whole


def test_disk_is_full_for_staging(tiny, events, tmp_path):
    data, log, folder = tmp_path / "data", tmp_path / "log.txt", tmp_path / "disk"
    shutil.copytree(tiny.data, data)
    (data / "large").write_bytes(bytes(200_000))
    options = ("--layout", "1,2,1,1", "--stage", str(folder), "timeout_seconds=5")
    with two_ranks(tiny, log, *options, limit=100_000, data=data) as ranks:
        said = [ends(process) for process in ranks]
    assert said[1] == "" and said[0].startswith(f"train.py: rank 0: staging to {folder}: rank 0: ")
    assert "File too large" in aborted(log, events) and not list(folder.iterdir())
