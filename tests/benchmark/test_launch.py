import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmark.launch import Launch, detect_launch, orphaned, tasks_per_node

RANK = """
import os, signal, sys, time
sys.path.insert(0, {root!r})
if {late}:
    while os.getppid() == {parent}:
        time.sleep(0.01)
    if os.getppid() != 1 or os.readlink("/proc/1/exe") == os.readlink("/proc/self/exe"):
        sys.exit()  # taken over by a process that looks like a launcher
from benchmark.launch import end_with_launcher
end_with_launcher({{"TORCHELASTIC_RUN_ID": "none"}})
print(os.getpid(), flush=True)
time.sleep(60)
"""
LAUNCHER = """
import os, subprocess, sys, time
rank = sys.argv[1].replace("PARENT", str(os.getpid()))
child = subprocess.Popen([sys.executable, "-c", rank], stdout=subprocess.PIPE)
print(child.pid, flush=True)
if sys.argv[2] == "early":
    child.stdout.readline()
os._exit(9)
"""


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, Launch(0, 1, 0, 1, "none")),
        (
            {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"},
            Launch(5, 8, 1, 4, "torchrun"),
        ),
        (
            {
                "OMPI_COMM_WORLD_RANK": "2",
                "OMPI_COMM_WORLD_SIZE": "4",
                "OMPI_COMM_WORLD_LOCAL_RANK": "0",
                "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
            },
            Launch(2, 4, 0, 2, "openmpi"),
        ),
        (
            {"FLUX_TASK_RANK": "3", "FLUX_JOB_SIZE": "4", "FLUX_TASK_LOCAL_ID": "1", "FLUX_JOB_NNODES": "2"},
            Launch(3, 4, 1, 2, "flux"),
        ),
        ({"PMI_RANK": "1", "PMI_SIZE": "2"}, Launch(1, 2, 1, 2, "pmi")),
        (
            {"PMI_RANK": "3", "PMI_SIZE": "4", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2"},
            Launch(3, 4, 1, 2, "pmi"),
        ),
        (
            {"PALS_RANKID": "5", "PALS_LOCAL_RANKID": "1", "PALS_LOCAL_SIZE": "4", "WORLD_SIZE": "8"},
            Launch(5, 8, 1, 4, "pals"),
        ),
        (
            {
                "SLURM_PROCID": "6",
                "SLURM_STEP_NUM_TASKS": "7",
                "SLURM_LOCALID": "0",
                "SLURM_NODEID": "3",
                "SLURM_STEP_TASKS_PER_NODE": "2(x3),1",
            },
            Launch(6, 7, 0, 1, "slurm"),
        ),
    ],
)
def test_launchers(environ, wanted):
    assert detect_launch(environ) == wanted


def test_a_batch_script_is_alone():
    assert detect_launch({"SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_LOCALID": "0"}).launcher == "none"


def test_torchrun_inside_a_step_wins():
    step = {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "SLURM_LOCALID": "0"}
    inside = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    assert detect_launch({**step, **inside}) == Launch(3, 4, 1, 2, "torchrun")


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"RANK": "x", "WORLD_SIZE": "2"}, "RANK: found 'x'"),
        ({"RANK": "-1", "WORLD_SIZE": "2"}, "RANK: found '-1'"),
        ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK: found 2 of 2 ranks"),
        ({"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "2", "LOCAL_WORLD_SIZE": "2"}, "LOCAL_RANK: found 2 of 2"),
    ],
)
def test_nonsense(environ, message):
    with pytest.raises(ValueError, match=message):
        detect_launch(environ)


def test_tasks_per_node():
    assert tasks_per_node("2(x3),1") == [2, 2, 2, 1]
    with pytest.raises(ValueError, match="wanted such as"):
        tasks_per_node("2(y3)")


@pytest.mark.parametrize(
    ("parent", "theirs", "wanted"),
    [
        (1, "/sbin/init", True),
        (1, "/usr/bin/python3", False),  # torchrun as the first process of a container
        (1, None, False),  # a system without /proc
        (2, "/sbin/init", False),
    ],
)
def test_a_rank_is_an_orphan_below_another_first_process(tmp_path, monkeypatch, parent, theirs, wanted):
    monkeypatch.setattr(os, "getppid", lambda: parent)
    for name, target in (("1", theirs), ("self", "/usr/bin/python3")):
        (tmp_path / name).mkdir()
        if target:
            (tmp_path / name / "exe").symlink_to(target)
    assert orphaned(tmp_path) is wanted


def test_a_first_process_that_may_not_be_looked_at_has_started_no_rank(monkeypatch):
    def forbidden(path):
        raise PermissionError(path)

    monkeypatch.setattr(os, "getppid", lambda: 1)
    monkeypatch.setattr(os, "readlink", forbidden)
    assert orphaned(Path("/proc"))


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for a signal")
@pytest.mark.parametrize("killed", ["early", "late"])
def test_a_rank_ends_with_its_torchrun(killed):
    """The launcher is gone after the rank has asked to end with it (early: the rank was early), or before (late)."""
    rank = RANK.format(root=str(Path(__file__).resolve().parents[2]), late=killed == "late", parent="PARENT")
    made = subprocess.run([sys.executable, "-c", LAUNCHER, rank, killed], capture_output=True, text=True, timeout=60)
    pid = int(made.stdout)
    until = time.monotonic() + 30
    try:
        while Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
            assert time.monotonic() < until, "the rank goes on"
            time.sleep(0.02)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
