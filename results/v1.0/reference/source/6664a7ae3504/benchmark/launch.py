"""Find out which rank of how many this process is. No other module knows launchers' environment variables."""

import contextlib
import ctypes
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Launcher: variables of rank, world size, local rank, local world size; "|" is between names for the same.
# torchrun may run inside any other; MPI's launchers may start their daemons with srun, so Slurm comes last.
# Slurm's own variables count only inside a step: a batch script sees SLURM_PROCID too, but is alone.
# PALS, HPE's, has no variable for the size, so a job script sets one.
LAUNCHERS = {
    "torchrun": "RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE",
    "jsrun": "JSM_NAMESPACE_RANK JSM_NAMESPACE_SIZE JSM_NAMESPACE_LOCAL_RANK JSM_NAMESPACE_LOCAL_SIZE",
    "openmpi": "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_LOCAL_SIZE",
    "pals": "PALS_RANKID PMI_SIZE|WORLD_SIZE PALS_LOCAL_RANKID PALS_LOCAL_SIZE",
    "flux": "FLUX_TASK_RANK FLUX_JOB_SIZE FLUX_TASK_LOCAL_ID -",
    "pmi": "PMI_RANK PMI_SIZE PMI_LOCAL_RANK|MPI_LOCALRANKID PMI_LOCAL_SIZE|MPI_LOCALNRANKS",
    "slurm": "SLURM_PROCID SLURM_STEP_NUM_TASKS SLURM_LOCALID -",
}
NODES = {"flux": "FLUX_JOB_NNODES", "slurm": "SLURM_STEP_NUM_NODES"}  # of launchers without a local world size
ENDING = (signal.SIGTERM, signal.SIGINT)  # signals that end a run
WARNING = (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)  # of terminals, of schedulers before a limit
ENDS_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


@dataclass(frozen=True)
class Launch:
    """The place of this process among those that were started together. `local` counts are within the node."""

    rank: int
    world_size: int
    local_rank: int
    local_world_size: int
    launcher: str  # a key of LAUNCHERS, or "none"


def detect_launch(environ: Mapping[str, str] = os.environ) -> Launch:
    """Return the launch that the environment describes; rank 0 of 1 without a launcher.

    The first launcher of LAUNCHERS whose variables are set wins. srun sets those of PMI or PALS beside its own, not all
    of them: where several launchers have the same rank and size, the first that knows the place on the node says it.
    Where none says how many ranks a node has, all nodes are assumed to have equally many, or to be one node. Raises
    ValueError, naming the variable, for a value that is no number or out of range.
    """
    found = [place for name, names in LAUNCHERS.items() if (place := place_of(environ, name, names.split()))]
    if not found:
        return Launch(0, 1, 0, 1, "none")
    rank, size, _, _, launcher = found[0]
    same = [place for place in found if place[:2] == (rank, size)]
    *_, local_rank, local_size, _ = next((p for p in same if None not in p), same[0])
    local_size = local_size or size
    local_rank = rank % local_size if local_rank is None else local_rank
    if not 0 <= local_rank < local_size:
        raise ValueError(f"{LAUNCHERS[launcher].split()[2]}: found {local_rank} of {local_size} ranks on the node")
    return Launch(rank, size, local_rank, local_size, launcher)


def place_of(
    environ: Mapping[str, str], launcher: str, names: Sequence[str]
) -> tuple[int, int, int | None, int | None, str] | None:
    """Return what a launcher's variables say, as in Launch; None if it is not this launcher. Raises ValueError."""
    rank, size, local_rank, local_size = (first(environ, alike.split("|")) for alike in names)
    if rank is None or size is None:
        return None
    if not 0 <= rank < size:
        raise ValueError(f"{names[0]}: found {rank} of {size} ranks, wanted 0..{size - 1}")
    if nodes := first(environ, [NODES.get(launcher, "-")]):
        local_size = -(-size // nodes)
    shares = tasks_per_node(environ.get("SLURM_STEP_TASKS_PER_NODE", "")) if launcher == "slurm" else []
    node = first(environ, ["SLURM_NODEID"]) or 0
    return rank, size, local_rank, shares[node] if node < len(shares) else local_size, launcher


def end_with_parent() -> None:
    """Have this process get SIGTERM when its parent ends, however that happens (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(ENDS_WITH_PARENT, signal.SIGTERM)
        if orphaned(Path("/proc")):  # the parent was gone before this process could ask for the signal
            os.kill(os.getpid(), signal.SIGTERM)


def orphaned(proc: Path) -> bool:
    """Return whether process 1 has adopted this process. In a container, process 1 may be the real parent, which runs
    the same Python. `proc` is Linux's /proc."""
    try:
        return os.getppid() == 1 and os.readlink(proc / "1" / "exe") != os.readlink(proc / "self" / "exe")
    except PermissionError:  # process 1 is another user's, so it is not the real parent
        return True
    except OSError:
        return False


def end_with_launcher(environ: Mapping[str, str] = os.environ) -> None:
    """Have a rank of torchrun end with torchrun, which ends no ranks when it is killed. The daemons of other launchers
    end theirs."""
    if "TORCHELASTIC_RUN_ID" in environ:
        end_with_parent()


def ending_signals() -> list[signal.Signals]:
    """Return the signals that end a run. Those in WARNING are left out where the parent has this process ignore them,
    as nohup does with SIGHUP."""
    return [*ENDING, *(number for number in WARNING if signal.getsignal(number) is not signal.SIG_IGN)]


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cores_of_rank(launch: Launch) -> int:
    """Return how many cores this rank has for itself: those that it is bound to, but no more than its share of the
    node's. Of the node's cores, torchrun's ranks share those that torchrun may use."""
    node = os.cpu_count() or 1
    if launch.launcher == "torchrun" and hasattr(os, "sched_getaffinity"):
        with contextlib.suppress(OSError):  # in a container, the parent may not be seen
            node = len(os.sched_getaffinity(os.getppid()))
    return max(1, min(usable_cores(), node // launch.local_world_size))


def first(environ: Mapping[str, str], names: Sequence[str]) -> int | None:
    """Return the first of these variables that is set, as an integer, or None. Raises ValueError for another value."""
    for name in names:
        if name in environ:
            if not re.fullmatch(r"\d{1,9}", environ[name].strip()):
                raise ValueError(f"{name}: found {environ[name]!r}, wanted a count")
            return int(environ[name])
    return None


def tasks_per_node(text: str) -> list[int]:
    """Return Slurm's list of tasks by node: "2(x3),1" is 2, 2, 2, 1. Raises ValueError for another text."""
    shares: list[int] = []
    for part in text.split(",") if text else ():
        match = re.fullmatch(r"(\d{1,6})(?:\(x(\d{1,6})\))?", part.strip())
        if not match:
            raise ValueError(f"SLURM_STEP_TASKS_PER_NODE: found {text!r}, wanted such as 2(x3),1")
        shares += [int(match[1])] * int(match[2] or 1)
    return shares
