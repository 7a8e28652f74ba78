"""Runs that are killed and go on: the same curve, one clock, one log."""

import itertools
import json
import os
import platform
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
LONG = ("--rehearsal-seed", "7", "epochs=4", "average_decay=0.9")


def kill_when(command: list[str], log: Path, key: str, times: int) -> None:
    """Start a run and kill it, all its ranks at once, when it has logged a key so many times."""
    before = log.read_text().count(f'"{key}"') if log.exists() else 0
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 300
        while not (log.exists() and log.read_text().count(f'"{key}"') - before >= times):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.002)
        for pid in (*started_by(process.pid), process.pid):
            os.kill(pid, signal.SIGKILL)


def started_by(pid: int) -> list[int]:
    """The ranks that a launcher has started, each in a session of its own."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def curve(found) -> list[tuple[int, float]]:
    return [(e.metadata["epoch_num"], e.value) for e in found if e.key == "eval_accuracy"]


@pytest.fixture(scope="module")
def whole(endless, events, tmp_path_factory):
    """The curve of a run that nobody killed."""
    log = tmp_path_factory.mktemp("whole") / "log.txt"
    assert endless.train(log, *LONG).returncode == 1
    return curve(events(log))


def test_a_run_killed_twice_is_the_same_run(endless, events, tmp_path, whole):
    """Killed while it writes a checkpoint, then while it trains, then by the book; its log has one clock."""
    log, folder = tmp_path / "log.txt", tmp_path / "checkpoints"
    again = endless.command(log, "--checkpoint", str(folder), "--resume", *LONG)
    kill_when(again, log, "eval_stop", 2)
    kill_when(again, log, "epoch_start", 2)
    done = subprocess.run(again, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and len(done.stderr.splitlines()) <= 4, done.stderr
    found = events(log)
    assert curve(found) == whole
    assert all(a.time_ms <= b.time_ms for a, b in itertools.pairwise(found))
    assert [[e.key for e in found].count(key) for key in ("seed", "run_start", "run_stop")] == [1, 1, 1]
    assert [e.metadata["split"] for e in found if e.key == "dataset_fingerprint"] == ["train", "validation"]
    resumed = [e for e in found if e.key == "resumed"]
    assert len(resumed) == 2
    for event in resumed:
        scores = [e for e in found[: found.index(event)] if e.key == "eval_accuracy"]
        assert event.metadata["epoch_num"] == scores[-1].metadata["epoch_num"]
        assert event.metadata["lost_seconds"] > 0 and event.value["seed"] == 7
        assert [event.value["source"]] == [e.value for e in found if e.key == "source"]
    assert sorted(p.name for p in folder.iterdir()) == ["epoch_000004", "lock"]


def test_one_run_at_a_time(endless, events, tmp_path):
    """A second run in the same folder is refused before it touches the log; one after the first's end is not."""
    log, folder = tmp_path / "log.txt", tmp_path / "checkpoints"
    again = endless.command(log, "--checkpoint", str(folder), "--resume", *LONG)
    with subprocess.Popen(again, stderr=subprocess.DEVNULL) as first:
        while not (log.exists() and '"eval_accuracy"' in log.read_text()):
            assert first.poll() is None
            time.sleep(0.01)
        os.kill(first.pid, signal.SIGSTOP)
        before = log.read_bytes()
        second = subprocess.run(again, capture_output=True, text=True, timeout=100)
        assert log.read_bytes() == before
        os.kill(first.pid, signal.SIGCONT)
        os.kill(first.pid, signal.SIGKILL)
    assert second.returncode == 2
    holder = f"process {first.pid} on {platform.node()}"
    assert second.stderr == f"train.py: {folder}: found a run at work in it ({holder}), wanted one at a time\n"
    assert endless.train(log, "--checkpoint", str(folder), "--resume", *LONG).returncode == 1
    assert curve(events(log))[-1][0] == 4


def test_a_checkpoint_is_of_no_layout(endless, events, tmp_path, whole):
    """Written by two ranks that share the weights, gone on with by two that share samples, then by one."""
    log, folder = tmp_path / "log.txt", tmp_path / "checkpoints"
    again = ["--checkpoint", str(folder), "--resume", *LONG]
    kill_when(endless.command(log, *again, "sharding=fsdp", ranks=2), log, "eval_accuracy", 1)
    kill_when(endless.command(log, *again, "layout=[1,2,1,1]", ranks=2), log, "eval_accuracy", 1)
    done = endless.train(log, *again)
    assert done.returncode == 1, done.stderr
    found = curve(events(log))
    assert [epoch for epoch, _ in found] == [1, 2, 3, 4]
    assert max(abs(a - b) for (_, a), (_, b) in zip(found, whole, strict=True)) < 2e-3


@pytest.fixture
def begun(endless, tmp_path):
    """The log and the checkpoint of a run that was killed after its second evaluation."""
    log, folder = tmp_path / "log.txt", tmp_path / "checkpoints"
    kill_when(endless.command(log, "--checkpoint", str(folder), *LONG), log, "eval_accuracy", 2)
    return log, folder


def test_what_was_cut_off_is_made_up_for(endless, events, tmp_path, whole, begun):
    """A kill between checkpoint and log, and one in the middle of a line: no score is lost, and none comes twice."""
    log, folder = begun
    again = ["--checkpoint", str(folder), "--resume", *LONG]
    lines = log.read_text().splitlines(keepends=True)
    last = max(i for i, line in enumerate(lines) if '"eval_accuracy"' in line)
    log.write_text("".join(lines[:last]) + lines[last][:50])
    (folder / ".epoch_000003.partial").mkdir()
    done = endless.train(log, *again)
    assert done.returncode == 1, done.stderr
    assert curve(events(log)) == whole
    assert not list(folder.glob(".*"))


def test_what_does_not_belong_together_is_refused(endless, tmp_path, begun):
    log, folder = begun
    again = ["--checkpoint", str(folder), "--resume", *LONG]
    at = folder / "epoch_000002"
    other = tmp_path / "other.txt"
    other.write_text("")
    problem = json.loads((at / "position.json").read_text()) | {"problem": "0" * 64}
    for options, message in [
        ([log, "--checkpoint", str(folder), *LONG], f"{at}: found a checkpoint, wanted a folder without one"),
        ([log, *again, "batch_size=2"], "batch_size: found 2, wanted 4"),
        ([log, *again, "epochs=2"], "epochs: found 2, wanted 4"),
        ([other, *again], f"{other}: found run_start at None"),
    ]:
        done = endless.train(*options)
        assert done.returncode == 2 and message in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    (at / "position.json").write_text(json.dumps(problem))
    done = endless.train(log, *again)
    assert done.returncode == 2 and "made for problem digest 0000" in done.stderr
