"""Hyperparameters and settings of a run: configs/<problem>.yaml, then `field=value` from the command line."""

import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch

from benchmark.config import build, override, parse_yaml, read_yaml, shallow, shown
from benchmark.launch import Launch

CONFIGS = Path(__file__).with_name("configs")
C = TypeVar("C", bound="RunConfig")
MOST_NUMBER = 2**53  # of any setting: up to here JSON and floats hold whole numbers
MOST_SAMPLES = 2**20  # of a batch: twice the largest training split (CosmoFlow's)
MOST_EPOCHS = 10**6  # a thousand times the default
MOST_THREADS = 1024  # threads, workers: nodes of two sockets have up to 768 hardware threads
MOST_AHEAD = 1024  # batches that are read ahead are in memory at once
MOST_CACHE = 65_536.0  # GiB: 64 TiB, beyond the memory of any node
MOST_SECONDS = 604_800.0  # a week; libraries keep timeouts as milliseconds, of which some know 2^31
MOST_TFLOPS = 1e6  # of a rank: an exaflop/s, beyond any device


@dataclass(frozen=True)
class RunConfig:
    """The settings that every run has; a workload's Config adds its hyperparameters. "auto", None and 0 are resolved
    on the machine."""

    batch_size: int = 4  # samples a step, over all ranks
    eval_batch_size: int = 4  # samples a forward pass, by rank
    accumulate: int = 1  # parts that a batch is worked on one after another, their gradients added up
    epochs: int = 1000  # a run that has not reached the target by then is aborted
    gradient_clip: float = 0.0  # largest L2 norm of the gradient; 0: any
    average_decay: float = 0.0  # of the moving average of the weights that is evaluated; 0: the weights themselves

    layout: tuple[int, int, int, int] | None = None  # ranks by data, depth, height, width; null: all by data
    tile: tuple[int, int, int, int] = (1, 1, 1, 1)  # consecutive ranks fill tiles of this layout
    sharding: str = "ddp"  # ddp: every rank holds all weights; fsdp: its part of weights, gradients, optimizer's state
    recompute: bool = False  # blocks keep their input alone and run again in the backward pass
    recompute_norms: bool = False  # blocks keep what convolutions give too, and repeat norms, activations and joins
    compile: bool = False  # the kernels of norms, where there is a compiler: seconds to a minute before the clock
    precision: str = "auto"  # of activations: float32 (on a GPU too: no TF32), bfloat16 or auto
    device: str = "auto"  # cpu, cuda or auto
    threads: int = 0  # CPU threads by rank; 0: the machine's cores shared by its ranks
    workers: int = 0  # reader processes by rank; 0: the training process reads
    prefetch: int = 2  # batches that readers are ahead
    cache_gib: float = 1.0  # samples that a rank read are kept in memory up to this size
    timeout_seconds: float = 600.0  # a collective that takes longer ends the run
    peak_tflops: float = 0.0  # of a rank, 10^12 FLOP/s, that throughput is held against; 0: a matmul's, measured

    def __post_init__(self):
        bounded(self)
        at_least(self, 1, "batch_size", "eval_batch_size", "accumulate", "epochs", "prefetch")
        more_than(self, 0, "timeout_seconds")
        at_least(self, 0, "gradient_clip", "threads", "workers", "cache_gib", "peak_tflops")
        at_most(self, MOST_SAMPLES, "batch_size", "eval_batch_size", "accumulate")
        at_most(self, MOST_EPOCHS, "epochs")
        at_most(self, MOST_THREADS, "threads", "workers")
        at_most(self, MOST_AHEAD, "prefetch")
        at_most(self, MOST_CACHE, "cache_gib")
        at_most(self, MOST_SECONDS, "timeout_seconds")
        at_most(self, MOST_TFLOPS, "peak_tflops")
        if not 0 <= self.average_decay < 1:
            raise ValueError(f"average_decay: found {self.average_decay}, wanted 0 <= average_decay < 1")
        one_of(self, "precision", "auto", "float32", "bfloat16")
        one_of(self, "sharding", "ddp", "fsdp")
        one_of(self, "device", "auto", "cpu", "cuda")
        if self.recompute and self.recompute_norms:
            raise ValueError("recompute_norms: found true beside recompute, which repeats them already; wanted one")

    def digest(self) -> str:
        """sha256 of the config as canonical JSON."""
        return hashlib.sha256(json.dumps(self.fields(), sort_keys=True).encode()).hexdigest()

    def fields(self) -> dict[str, Any]:
        """Every field and its value."""
        return shallow(self)


def bounded(config: RunConfig) -> None:
    """Raises ValueError for a number, in a field or in a list, that is infinite, none (NaN) or beyond 2^53."""
    for name, value in config.fields().items():
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, int | float) and not -MOST_NUMBER <= number <= MOST_NUMBER:
                raise ValueError(f"{name}: found {shown(number)}, wanted a number between -2^53 and 2^53")


def at_most(config: RunConfig, most: float, *names: str) -> None:
    """Raises ValueError for a field that is more."""
    for name in names:
        if not getattr(config, name) <= most:
            raise ValueError(f"{name}: found {getattr(config, name)}, wanted at most {most}")


def at_least(config: RunConfig, least: float, *names: str) -> None:
    """Raises ValueError for a field that is less."""
    for name in names:
        if not getattr(config, name) >= least:
            wanted = f"{least} or more" if least == 0 else f"at least {least}"
            raise ValueError(f"{name}: found {getattr(config, name)}, wanted {wanted}")


def more_than(config: RunConfig, bound: float, *names: str) -> None:
    """Raises ValueError for a field that is not more."""
    for name in names:
        if not getattr(config, name) > bound:
            raise ValueError(f"{name}: found {getattr(config, name)}, wanted more than {bound}")


def one_of(config: RunConfig, name: str, *allowed: str) -> None:
    """Raises ValueError for a field that has another value."""
    if getattr(config, name) not in allowed:
        raise ValueError(f"{name}: found {getattr(config, name)!r}, wanted one of {', '.join(allowed)}")


def load_config(cls: type[C], path: Path, assignments: list[str], data: bytes | None = None) -> C:
    """The config, of a workload's class, in a YAML file with `field=value` assignments on top. `data` is what the file
    holds, if it was read already.

    Raises ValueError for a missing file, an unknown field or a value of another type.
    """
    content = read_yaml(path) if data is None else parse_yaml(data, path)
    config = build(cls, content or {}, str(path))
    return override(config, assignments) if assignments else config


def config_path(problem: str) -> Path:
    """Where the defaults of a problem are."""
    return CONFIGS / f"{problem}.yaml"


def resolve(config: C, cores: int, local_ranks: int, ranks: int = 1) -> C:
    """`config` with "auto", None and 0 replaced by what this machine gives, so that the log says what ran."""
    device = config.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    precision = config.precision
    if precision == "auto":
        precision = "bfloat16" if device == "cuda" or cpu_has_bfloat16() else "float32"
    threads = config.threads or min(MOST_THREADS, max(1, cores // local_ranks))
    layout = config.layout or (ranks, 1, 1, 1)
    return dataclasses.replace(config, device=device, precision=precision, threads=threads, layout=layout)


def gpu_of(launch: Launch) -> int:
    """The index of the GPU that a rank computes on: its local rank's, or the only one, if its launcher shows each rank
    another. That two ranks are not shown the same one is NCCL's to see.

    Raises ValueError if PyTorch finds no GPU, or fewer than the node has ranks.
    """
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not found:
        raise ValueError(f"device: found no GPU that PyTorch {torch.__version__} can use, wanted one for cuda")
    if found >= launch.local_world_size:
        return launch.local_rank
    if found == 1 and "CUDA_VISIBLE_DEVICES" in os.environ:
        return 0
    wanted = f"{launch.local_world_size}, one for each rank of the node"
    raise ValueError(f"device: found {found} GPU{'s' * (found > 1)}, wanted {wanted}, or CUDA_VISIBLE_DEVICES with one")


def activation_type(config: RunConfig) -> torch.dtype:
    """The type of what layers hand on."""
    return getattr(torch, config.precision)


def cpu_has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 itself; emulated, it is slower than float32."""
    cpu = torch.cpu
    return any(getattr(cpu, name, lambda: False)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
