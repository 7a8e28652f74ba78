"""Write the environment of a run beside its log, before the clock starts. See benchmark/environment."""

import platform
import sys
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from benchmark.environment.facts import Fact, fact
from benchmark.environment.loaded import loaded
from benchmark.environment.manifest import KINDS, Facts, Node, digest_of
from benchmark.run.environment import facts_of_node, facts_of_run, questions_asked
from benchmark.run.log import RunLog

from ..parallel.layout import Layout
from .setup import Setup

BEGIN = time.time()  # no kernel was compiled before


def log_environment(log: RunLog, layout: Layout, setup: Setup) -> None:
    """Gather the facts of all nodes, write the manifest, and log its sha256. Raises OSError if it cannot be written."""
    device, first = torch.device(setup.task.config.device), setup.launch.local_rank == 0
    with questions_asked(first) as asked:
        node = facts_of_node(setup.options.data, torch_facts(device), asked) if first else {}
    config, backend = (setup.config_file, setup.config_data), dist.get_backend() if dist.is_initialized() else None
    run = facts_of_run(setup.launch, config, backend, code) if log.path else {}
    log.environment(run, gather(layout, node))


def code() -> dict[str, Any]:
    """Return what this process has loaded and spent, with the seconds in which PyTorch compiled."""
    found = loaded(kernels(), BEGIN)
    if "torch._dynamo" in sys.modules:
        from torch._dynamo.utils import calculate_time_spent

        found["spent"]["compile_seconds"] = round(calculate_time_spent()["total_wall_time"], 3)
    return found


def kernels() -> Path | None:
    """Return the folder in which Inductor keeps compiled kernels; None in a run that compiles none."""
    if "torch._inductor" not in sys.modules:
        return None
    from torch._inductor.runtime.cache_dir_utils import cache_dir

    return Path(cache_dir())


def gather(layout: Layout, told: Facts) -> list[Node]:
    """Return the nodes of a run. The facts of each kind of node are sent once, for at most KINDS kinds."""
    every = layout.gather((platform.node(), digest_of(told) if told else ""))
    first: dict[str, int] = {}  # the first rank that has the facts of a kind
    for rank, (_, digest) in enumerate(every):
        if digest:
            first.setdefault(digest, rank)
    facts = {digest: layout.broadcast_object(told, rank) for digest, rank in list(first.items())[:KINDS]}
    return [Node(host, digest, facts.get(digest)) for host, digest in every if digest]


def torch_facts(device: torch.device) -> dict[str, Fact]:
    """Return how PyTorch was built and how it is configured."""
    return {
        "torch": fact("torch.__config__.show, torch.version", build),
        "backends": fact("torch.backends", lambda: backends(device)),
    }


def build() -> dict[str, Any]:
    """Return PyTorch's version, commit and compile-time settings, and the versions of its libraries."""
    cuda = torch.version.cuda is not None
    found = {
        "version": torch.__version__,
        "commit": torch.version.git_version,
        "settings": torch.__config__.show(),
        "cuda": torch.version.cuda,
        "hip": torch.version.hip,
        "cudnn": torch.backends.cudnn.version() if cuda else None,
        "nccl": ".".join(map(str, torch.cuda.nccl.version())) if cuda else None,
        "architectures": torch.cuda.get_arch_list() if cuda else None,
    }
    return {name: value for name, value in found.items() if value is not None}


def backends(device: torch.device) -> dict[str, Any]:
    """Return the switches of PyTorch's backends at the start of the run."""
    found = {
        "threads": torch.get_num_threads(),
        "mkldnn": torch.backends.mkldnn.enabled,
        "matmul_precision": torch.get_float32_matmul_precision(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "processor": torch.backends.cpu.get_cpu_capability(),
    }
    if device.type == "cuda":
        found |= {"cudnn_benchmark": torch.backends.cudnn.benchmark, "cudnn_tf32": torch.backends.cudnn.allow_tf32}
        found |= {"matmul_tf32": torch.backends.cuda.matmul.allow_tf32, "devices": torch.cuda.device_count()}
    return found
