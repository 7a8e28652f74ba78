import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from benchmark.launch import Launch, cores_of_rank, detect_launch, orphaned
from tests.support import ROOT
from tests.support.waiting import wait_for

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


def slurm(rank: int, tasks: str, node: int, local: int, size: int) -> dict[str, str]:
    """What srun sets without any MPI."""
    place = {"SLURM_PROCID": rank, "SLURM_NODEID": node, "SLURM_LOCALID": local, "SLURM_STEP_NUM_TASKS": size}
    return {name: str(value) for name, value in place.items()} | {"SLURM_STEP_TASKS_PER_NODE": tasks}


STEP = slurm(9, "8(x2)", 1, 1, 16)
NINTH = (9, 16, 1, 8)  # rank 9 of 2 nodes of 8
MPI = {"RANK": "9", "SIZE": "16", "LOCAL_RANK": "1", "LOCAL_SIZE": "8"}
JSM, OPENMPI = ({f"{own}_{k}": v for k, v in MPI.items()} for own in ("JSM_NAMESPACE", "OMPI_COMM_WORLD"))
PMI = {"PMI_RANK": "9", "PMI_SIZE": "16"}
PALS = {"PALS_RANKID": "9", "PALS_LOCAL_RANKID": "1", "PALS_NODEID": "1"}
LOCAL = {"MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "8"}
FLUX = {"FLUX_TASK_RANK": "9", "FLUX_JOB_SIZE": "16", "FLUX_TASK_LOCAL_ID": "1", "FLUX_JOB_NNODES": "2"}
TORCHRUN = {"RANK": "9", "WORLD_SIZE": "16", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "8"}
DAEMON = slurm(1, "1(x2)", 1, 0, 2)  # srun starts one daemon of mpirun on each node


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        (TORCHRUN, Launch(*NINTH, "torchrun")),
        (STEP, Launch(*NINTH, "slurm")),  # also with --mpi=pmix
        (STEP | PMI, Launch(*NINTH, "pmi")),  # --mpi=pmi2
        (STEP | PMI | PALS, Launch(*NINTH, "pals")),  # --mpi=cray_shasta
        (FLUX, Launch(*NINTH, "flux")),
        (FLUX | PMI | PALS, Launch(*NINTH, "pals")),
        (OPENMPI, Launch(*NINTH, "openmpi")),
        (OPENMPI | JSM, Launch(*NINTH, "jsrun")),  # Spectrum MPI
        (PMI | LOCAL, Launch(*NINTH, "pmi")),  # MPICH, Intel MPI
        (PALS | {"PALS_LOCAL_SIZE": "8", "WORLD_SIZE": "16"}, Launch(*NINTH, "pals")),
        (TORCHRUN | DAEMON, Launch(*NINTH, "torchrun")),
        ({}, Launch(0, 1, 0, 1, "none")),
        # a batch script
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_LOCALID": "0"}, Launch(0, 1, 0, 1, "none")),
        ({"PMI_RANK": "1", "PMI_SIZE": "2"}, Launch(1, 2, 1, 2, "pmi")),  # nothing says more: one node
        (slurm(1, "1,2(x3)", 1, 0, 7), Launch(1, 7, 0, 2, "slurm")),
        (slurm(6, "2(x3),1", 3, 0, 7) | {"PMI_RANK": "6", "PMI_SIZE": "7"}, Launch(6, 7, 0, 1, "pmi")),
        ({**FLUX, "FLUX_TASK_RANK": "6", "FLUX_JOB_SIZE": "7"}, Launch(6, 7, 1, 4, "flux")),
        (slurm(0, "1", 0, 0, 1) | TORCHRUN, Launch(*NINTH, "torchrun")),  # in an interactive step
    ],
)
def test_launchers(environ, wanted):
    assert detect_launch(environ) == wanted


@pytest.mark.parametrize(
    ("launcher", "bound", "parent", "node", "local", "wanted"),
    [
        ("slurm", 12, 96, 96, 8, 12),  # bound to its cores
        ("slurm", 96, 96, 96, 8, 12),  # not bound
        ("torchrun", 16, 16, 96, 8, 2),  # a container with 16 of the node's cores
        ("torchrun", 12, 96, 96, 8, 12),  # bound by a wrapper
        ("torchrun", 2, 2, 2, 8, 1),
        ("torchrun", 12, None, 96, 8, 12),  # below a parent that is not seen
        ("none", 4, 96, 96, 1, 4),
    ],
)
def test_a_rank_has_the_cores_of_its_own_or_its_share(monkeypatch, launcher, bound, parent, node, local, wanted):
    def affinity(pid):
        if pid and not parent:
            raise ProcessLookupError(pid)
        return range(parent if pid else bound)

    monkeypatch.setattr(os, "sched_getaffinity", affinity, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: node)
    assert cores_of_rank(Launch(0, local, 0, local, launcher)) == wanted


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"RANK": "x", "WORLD_SIZE": "2"}, "RANK: found 'x'"),
        ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK: found 2 of 2 ranks"),
        ({"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "2", "LOCAL_WORLD_SIZE": "2"}, "LOCAL_RANK: found 2 of 2"),
        (slurm(0, "2(y3)", 0, 0, 6), "wanted such as"),
    ],
)
def test_nonsense(environ, message):
    with pytest.raises(ValueError, match=message):
        detect_launch(environ)


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


def test_a_first_process_that_is_hidden_has_started_no_rank(monkeypatch):
    monkeypatch.setattr(os, "getppid", lambda: 1)
    monkeypatch.setattr(os, "readlink", Mock(side_effect=PermissionError))
    assert orphaned(Path("/proc"))


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for a signal")
@pytest.mark.parametrize("killed", ["early", "late"])
def test_a_rank_ends_with_its_torchrun(killed):
    """The launcher is gone after the rank has asked to end with it (early: the rank was early), or before (late)."""
    rank = RANK.format(root=str(ROOT), late=killed == "late", parent="PARENT")
    made = subprocess.run([sys.executable, "-c", LAUNCHER, rank, killed], capture_output=True, text=True, timeout=60)
    pid = int(made.stdout)
    stat = Path(f"/proc/{pid}/stat")
    try:
        wait_for(lambda: not stat.exists() or stat.read_text().split()[2] == "Z")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
