"""Which rank of how many this process is: the one place that knows launchers' environment variables."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

# Launcher: variables of rank, world size, local rank, local world size; the first launcher whose rank is set wins.
# torchrun may run inside any other; MPI's launchers may start their daemons with srun, so Slurm comes last.
# Slurm's own variables count only inside a step: a batch script sees SLURM_PROCID too, but is alone.
LAUNCHERS = {
    "torchrun": (("RANK",), ("WORLD_SIZE",), ("LOCAL_RANK",), ("LOCAL_WORLD_SIZE",)),
    "openmpi": (
        ("OMPI_COMM_WORLD_RANK",),
        ("OMPI_COMM_WORLD_SIZE",),
        ("OMPI_COMM_WORLD_LOCAL_RANK",),
        ("OMPI_COMM_WORLD_LOCAL_SIZE",),
    ),
    # HPE's, often under PBS: it knows no size by itself, so that a script says it.
    "pals": (("PALS_RANKID",), ("PMI_SIZE", "WORLD_SIZE"), ("PALS_LOCAL_RANKID",), ("PALS_LOCAL_SIZE",)),
    "flux": (("FLUX_TASK_RANK",), ("FLUX_JOB_SIZE",), ("FLUX_TASK_LOCAL_ID",), ()),
    "pmi": (
        ("PMI_RANK",),
        ("PMI_SIZE",),
        ("PMI_LOCAL_RANK", "MPI_LOCALRANKID"),
        ("PMI_LOCAL_SIZE", "MPI_LOCALNRANKS"),
    ),
    "slurm": (("SLURM_PROCID",), ("SLURM_STEP_NUM_TASKS",), ("SLURM_LOCALID",), ()),
}


@dataclass(frozen=True)
class Launch:
    """This process among those started together. `local` counts are within the node."""

    rank: int
    world_size: int
    local_rank: int
    local_world_size: int
    launcher: str  # a key of LAUNCHERS, or "none"


def detect_launch(environ: Mapping[str, str] = os.environ) -> Launch:
    """The launch that the environment describes; rank 0 of 1 without a launcher.

    Where a launcher does not say how many ranks a node has, the nodes are taken to have equally many.
    Raises ValueError naming the variable that is no number or out of range.
    """
    for launcher, (rank_names, size_names, local_rank_names, local_size_names) in LAUNCHERS.items():
        rank, size = first(environ, rank_names), first(environ, size_names)
        if rank is None or size is None:
            continue
        if not 0 <= rank < size:
            raise ValueError(f"{rank_names[0]}: found {rank} of {size} ranks, wanted 0..{size - 1}")
        local_size = first(environ, local_size_names) or node_share(environ, launcher, size)
        local_rank = first(environ, local_rank_names)
        local_rank = rank % local_size if local_rank is None else local_rank
        if not 0 <= local_rank < local_size:
            raise ValueError(f"{local_rank_names[0]}: found {local_rank} of {local_size} ranks on the node")
        return Launch(rank, size, local_rank, local_size, launcher)
    return Launch(0, 1, 0, 1, "none")


def first(environ: Mapping[str, str], names: tuple[str, ...]) -> int | None:
    """The first of these variables that is set, as an integer."""
    for name in names:
        if name in environ:
            if not re.fullmatch(r"\d{1,9}", environ[name].strip()):
                raise ValueError(f"{name}: found {environ[name]!r}, wanted a count")
            return int(environ[name])
    return None


def node_share(environ: Mapping[str, str], launcher: str, size: int) -> int:
    """Ranks on this node, for launchers that have no variable for just that."""
    if launcher == "slurm" and "SLURM_STEP_TASKS_PER_NODE" in environ:
        node = first(environ, ("SLURM_NODEID",)) or 0
        shares = tasks_per_node(environ["SLURM_STEP_TASKS_PER_NODE"])
        if node < len(shares):
            return shares[node]
    nodes = first(environ, {"flux": ("FLUX_JOB_NNODES",), "slurm": ("SLURM_STEP_NUM_NODES",)}.get(launcher, ())) or 1
    return max(1, -(-size // nodes))


def tasks_per_node(text: str) -> list[int]:
    """Slurm's list of tasks by node: "2(x3),1" is 2, 2, 2, 1."""
    shares: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,6})(?:\(x(\d{1,6})\))?", part.strip())
        if not match:
            raise ValueError(f"SLURM_STEP_TASKS_PER_NODE: found {text!r}, wanted such as 2(x3),1")
        shares += [int(match[1])] * int(match[2] or 1)
    return shares
