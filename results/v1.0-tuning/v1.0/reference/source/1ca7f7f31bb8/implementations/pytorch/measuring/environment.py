"""The environment of a run, written beside its log before the clock starts: see benchmark/environment."""

import contextlib
import platform
import sys
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from benchmark.environment.commands import Asked
from benchmark.environment.facts import Fact, fact
from benchmark.environment.manifest import KEY, KINDS, Facts, Node, digest_of, write
from benchmark.environment.node import COMMANDS, node_facts, plain
from benchmark.environment.paths import shortened
from benchmark.environment.repository import questions, state
from benchmark.launch import Launch
from benchmark.source import ROOT
from benchmark.tree import environment_path

from ..parallel.layout import Layout
from ..training.events import RunLog

MOST_CONFIG = 16 << 10  # bytes of a config that are told


def log_environment(
    log: RunLog,
    layout: Layout,
    launch: Launch,
    device: torch.device,
    data: Path,
    config: tuple[Path, bytes],
    files: dict[str, str],
) -> None:
    """Gather the facts of all nodes, write the manifest, and log its sha256; `data` is the dataset's folder, `config`
    the file with its bytes, `files` what was loaded of the repository. Raises OSError where it can't be written."""
    commands = questions(ROOT, files) if log.path else {}
    with contextlib.closing(Asked(commands | COMMANDS if launch.local_rank == 0 else commands)) as asked:
        told = {}
        if launch.local_rank == 0:
            told = plain(node_facts(data, asked) | torch_facts(device))
        run = run_facts(launch, config, files, asked) if log.path else {}
    nodes = gather(layout, told)
    if log.path:
        resumed = log.resumptions + 1 if log.silent else 0
        written = write(environment_path(log.path, resumed), plain(run), nodes)
        log.event(KEY, written.digest, bytes=written.size, path=written.path)


def gather(layout: Layout, told: Facts) -> list[Node]:
    """The nodes of a run, on rank 0: facts travel once for each kind of node, of at most so many kinds."""
    mine = digest_of(told) if told else ""
    named = [one for one in layout.gather((platform.node(), mine)) if one[1]]
    kinds = {digest: host for host, digest in reversed(named)}  # the first host of each kind
    wanted = dict(list({digest: kinds[digest] for _, digest in named}.items())[:KINDS])
    sent = layout.gather(told if wanted.get(mine) == platform.node() else None)
    facts = {digest_of(one): one for one in sent if one}
    return [Node(host, digest, facts.get(digest)) for host, digest in named]


def run_facts(launch: Launch, config: tuple[Path, bytes], files: dict[str, str], asked: Asked) -> dict[str, Fact]:
    """The facts of the run as a whole, rank 0's."""
    path, data = config
    return {
        "command": fact("sys.argv", lambda: [shortened(word) for word in sys.argv]),
        "config": fact(shortened(str(path)), lambda: text_of(data)),
        "launcher": fact("benchmark.launch.detect_launch", lambda: launched(launch)),
        "repository": fact("git rev-parse, git ls-tree", lambda: state(ROOT, files, asked)),
    }


def text_of(data: bytes) -> str:
    """The text of a config. Raises ValueError for one that is too large."""
    if len(data) > MOST_CONFIG:
        raise ValueError(f"{len(data)} bytes, more than {MOST_CONFIG}")
    return data.decode()


def launched(launch: Launch) -> dict[str, Any]:
    """How many ranks were started by which launcher, and how they talk."""
    return {
        "launcher": launch.launcher,
        "ranks": launch.world_size,
        "ranks_per_node": launch.local_world_size,
        "backend": dist.get_backend() if dist.is_initialized() else None,
    }


def torch_facts(device: torch.device) -> dict[str, Fact]:
    """How PyTorch was built, and how it is set."""
    return {
        "torch": fact("torch.__config__.show, torch.version", build),
        "backends": fact("torch.backends", lambda: backends(device)),
    }


def build() -> dict[str, Any]:
    """Version, commit, compile-time settings, and the versions of the libraries beneath."""
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
    """What is switched on when the run begins."""
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
