"""Faults under split layouts: every rank ends by itself within a bounded time, one line says why, and so does the log.

Killed ranks are in test_stop.py.
"""

import os
import resource
import shutil
import signal
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.forked import Rank
from tests.support.waiting import comes_to

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
ENDLESS = ("epochs=1000000", "timeout_seconds=5")


def variables(rank: int, port: int, host: str, **more: str) -> dict[str, str]:
    """What torchrun would say to rank 0 or 1 of 2."""
    names = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2, "MASTER_PORT": port}
    return {"MASTER_ADDR": host, "OMP_NUM_THREADS": "1", **{k: str(v) for k, v in names.items()}, **more}


@contextmanager
def two_ranks(tiny, log: Path, *settings: str, limit: int = 0, data: Path | None = None, host="127.0.0.1", wrap=None):
    """Two ranks without a launcher that would end them; `limit` is the largest file that they can write, in bytes."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        port = probe.getsockname()[1]
    ranks = []
    for rank in (0, 1):
        if wrap or not tiny.warm:
            prefix, more = wrap[rank] if wrap else ([], {})
            command = [*prefix, *tiny.command(log, *settings, data=data)]
            options = {"env": {**os.environ, **variables(rank, port, host, **more)}, "text": True}
            ranks.append(subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, **options))
        else:
            ranks.append(Rank(tiny.warm, [*tiny.options(log, data), *settings], variables(rank, port, host)))
        if limit:  # before it writes anything: it has yet to import its modules
            resource.prlimit(ranks[-1].pid, resource.RLIMIT_FSIZE, (limit, limit))
    try:
        yield ranks
    finally:
        for process in ranks:
            process.kill()
            process.communicate()


def ends(process, seconds: float = 90, most: int = 1) -> str:
    """The line that a rank ends with, or as many as it may."""
    _, said = process.communicate(timeout=seconds)
    lines = [line for line in said.splitlines() if line.startswith("train.py: ")]
    assert process.returncode in (1, 2) and len(lines) <= most and "Traceback" not in said, said
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
        tasks = Path(f"/proc/{ranks[1].pid}/task").glob("*/children")
        workers = [int(child) for task in tasks for child in task.read_text().split()]
        os.kill(workers[0], signal.SIGKILL)
        assert ends(ranks[1]) == "train.py: rank 1: a reader process died"
        assert "another rank ended or cannot be reached" in ends(ranks[0])
    assert "another rank ended" in aborted(log, events)


def test_rank_that_stands_still(endless, events, tmp_path):
    """It is there and doesn't answer: the others wait as long as they were told to."""
    log = tmp_path / "log.txt"
    with two_ranks(endless, log, "--layout", "2,1,1,1", *ENDLESS, "sharding=fsdp") as ranks:
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


@pytest.fixture
def cable():
    """Two network namespaces and a cable between them; its name, the addresses, and how to run something in each."""
    name = f"t{os.getpid() % 100000}"
    a, b = f"{name}a", f"{name}b"
    lines = [f"netns add {a}", f"netns add {b}", f"link add {a} netns {a} type veth peer name {b} netns {b}"]
    for end, address in ((a, "10.99.7.1"), (b, "10.99.7.2")):
        lines += [
            f"-n {end} addr add {address}/24 dev {end}",
            f"-n {end} link set {end} up",
            f"-n {end} link set lo up",
        ]
    try:
        for line in lines:
            if subprocess.run(["ip", *line.split()], capture_output=True).returncode:
                pytest.skip("no network namespaces here")
        yield a, [(["ip", "netns", "exec", end], {"GLOO_SOCKET_IFNAME": end}) for end in (a, b)]
    finally:
        for end in (a, b):
            subprocess.run(["ip", "netns", "del", end], capture_output=True)


@pytest.mark.skipif(not shutil.which("ip") or os.geteuid() != 0, reason="needs network namespaces")
def test_unplugged_rank(endless, events, tmp_path, cable):
    log = tmp_path / "log.txt"
    end, wrap = cable
    with two_ranks(endless, log, "--layout", "1,2,1,1", *ENDLESS, host="10.99.7.1", wrap=wrap) as ranks:
        comes_to(ranks[0], log, "eval_accuracy")
        subprocess.run(["ip", "-n", end, "link", "set", end, "down"], check=True)
        for rank, process in enumerate(ranks):
            assert f"rank {rank}: another rank ended or cannot be reached" in ends(process)
    assert "another rank ended" in aborted(log, events)
