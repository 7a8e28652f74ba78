"""Load the settings of a run: configs/<problem>.yaml, then `field=value` from the command line."""

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch

from benchmark.config import Settings, setting, shallow
from benchmark.launch import Launch
from benchmark.run.log import settings_digest

CONFIGS = Path(__file__).with_name("configs")
C = TypeVar("C", bound="RunConfig")
MOST_SAMPLES = 2**20  # of a batch: twice CosmoFlow's training split
MOST_THREADS = 1024  # nodes of two sockets have up to 768 hardware threads


@dataclass(frozen=True)
class RunConfig(Settings):
    """The settings that every run has. A workload's Config adds its hyperparameters. "auto", None and 0 are resolved on
    the machine. Settings marked `machine` change how a machine computes and not what is trained."""

    batch_size: int = setting(4, least=1, most=MOST_SAMPLES)  # samples a step, over all ranks
    eval_batch_size: int = setting(4, least=1, most=MOST_SAMPLES, machine=True)  # samples a forward pass, by rank
    accumulate: int = setting(1, least=1, most=MOST_SAMPLES)  # parts of a batch, computed one after another
    epochs: int = setting(1000, least=1, most=10**6)  # a run that has not reached the target by then is aborted
    gradient_clip: float = setting(0.0, least=0)  # largest L2 norm of the gradient; 0: no limit
    average_epochs: float = setting(0.0, least=0)  # of the weights' moving average, which is evaluated; 0: none
    precision: str = setting("auto", choices=("auto", "float32", "bfloat16"))  # of activations; float32: no TF32 either

    layout: tuple[int, int, int, int] | None = setting(None, machine=True)  # ranks by data, depth, height, width
    tile: tuple[int, int, int, int] = setting((1, 1, 1, 1), machine=True)  # consecutive ranks fill tiles of this layout
    sharding: str = setting("ddp", choices=("ddp", "fsdp"), machine=True)  # ddp: all weights on every rank; fsdp: parts
    recompute: bool = setting(False, machine=True)  # blocks keep only their input, and run again in the backward pass
    recompute_norms: bool = setting(False, machine=True)  # blocks also keep convolutions' outputs; norms run again
    compile: bool = setting(False, machine=True)  # the kernels of norms: seconds to a minute before the clock
    device: str = setting("auto", choices=("auto", "cpu", "cuda"), machine=True)  # cpu, cuda or auto
    threads: int = setting(0, least=0, most=MOST_THREADS, machine=True)  # CPU threads by rank; 0: its share of cores
    workers: int = setting(0, least=0, most=MOST_THREADS, machine=True)  # reader processes by rank; 0: the run reads
    prefetch: int = setting(2, least=1, most=1024, machine=True)  # batches that readers are ahead, in memory at once
    cache_gib: float = setting(1.0, least=0, most=65_536, machine=True)  # samples that a rank keeps in memory
    timeout_seconds: float = setting(600.0, above=0, most=604_800, machine=True)  # of a collective, which ends the run
    peak_tflops: float = setting(0.0, least=0, most=1e6, machine=True)  # of a rank; 0: that of a matmul, measured

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.recompute and self.recompute_norms:
            raise ValueError("recompute_norms: found true beside recompute, which repeats them already; wanted one")

    def digest(self) -> str:
        """Return the sha256 of the config as canonical JSON."""
        return settings_digest(self.fields())

    def fields(self) -> dict[str, Any]:
        """Return every field and its value."""
        return shallow(self)


def config_path(problem: str) -> Path:
    """Return the file with the defaults of a problem."""
    return CONFIGS / f"{problem}.yaml"


def resolve(config: C, cores: int, ranks: int = 1) -> C:
    """Return `config` with "auto", None and 0 replaced by this machine's values, so that the log says what ran. `cores`
    are this rank's."""
    device = config.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    precision = config.precision
    if precision == "auto":
        precision = "bfloat16" if device == "cuda" or cpu_has_bfloat16() else "float32"
    threads = config.threads or min(MOST_THREADS, cores)
    layout = config.layout or (ranks, 1, 1, 1)
    return dataclasses.replace(config, device=device, precision=precision, threads=threads, layout=layout)


def gpu_of(launch: Launch) -> int:
    """Return the index of the GPU that a rank computes on: its local rank, or 0 if the launcher shows each rank a
    single GPU. NCCL fails where two ranks are shown the same one.

    Raises ValueError if PyTorch finds no GPU, or fewer than the node has ranks.
    """
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not found:
        raise ValueError(f"device: found no GPU that PyTorch {torch.__version__} can use, wanted one for cuda")
    if found >= launch.local_world_size:
        return launch.local_rank
    if found == 1 and any(f"{name}_VISIBLE_DEVICES" in os.environ for name in ("CUDA", "HIP", "ROCR")):
        return 0
    wanted = f"{launch.local_world_size}, one for each rank of the node"
    raise ValueError(f"device: found {found} GPU{'s' * (found > 1)}, wanted {wanted}, or CUDA_VISIBLE_DEVICES with one")


def activation_type(config: RunConfig) -> torch.dtype:
    """Return the data type of activations."""
    return getattr(torch, config.precision)


def cpu_has_bfloat16() -> bool:
    """Return whether bfloat16 is faster than float32 on this processor: it has instructions for it. An Intel processor
    that has AVX-512's for float16 is slower in bfloat16 where a virtual machine hides its AMX."""
    cpu = torch.cpu
    known = getattr(cpu, "get_capabilities", dict)()  # PyTorch 2.8 has no such function
    if known.get("avx512_fp16") and not known.get("amx_tile"):
        return False
    return any(getattr(cpu, name, lambda: False)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
