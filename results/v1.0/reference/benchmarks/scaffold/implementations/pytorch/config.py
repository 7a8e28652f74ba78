"""Hyperparameters and settings of a run: configs/<problem>.yaml, then `field=value` from the command line."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmark.config import build, override, read_yaml, shallow

CONFIGS = Path(__file__).with_name("configs")


@dataclass(frozen=True)
class TrainConfig:
    """Every setting of a run. Defaults are those of the big problems; "auto" and 0 are resolved on the machine."""

    batch_size: int = 4  # samples a step, over all ranks
    eval_batch_size: int = 4  # samples a forward pass, by rank
    epochs: int = 1000  # a run that has not reached the target by then is aborted

    learning_rate: float = 1e-3  # at the start of a cosine
    end_learning_rate: float = 1e-4  # at its end
    restart_epochs: int = 100  # length of the first cosine (T_0)
    restart_factor: int = 2  # each is this much longer than the one before (T_mult)
    warmup_epochs: float = 0.0  # linear ramp from 0 on top of it
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    gradient_clip: float = 1.0  # largest L2 norm of the gradient
    average_decay: float = 0.0  # of the moving average of the weights that is evaluated; 0: the weights themselves

    background_weight: float = 0.1  # of background voxels in the cross-entropy; the others weigh 1

    layout: tuple[int, int, int, int] | None = None  # ranks by data, depth, height, width; None: all by data
    tile: tuple[int, int, int, int] = (1, 1, 1, 1)  # consecutive ranks fill tiles of this layout
    recompute: bool = False  # blocks keep their input alone and run again in the backward pass
    precision: str = "auto"  # of activations: float32, bfloat16 or auto
    device: str = "auto"  # cpu, cuda or auto
    threads: int = 0  # CPU threads by rank; 0: the machine's cores shared by its ranks
    workers: int = 0  # reader processes by rank; 0: the training process reads
    prefetch: int = 2  # batches that readers are ahead
    cache_gib: float = 1.0  # samples that a rank read are kept in memory up to this size
    timeout_seconds: float = 600.0  # a collective that takes longer ends the run

    def __post_init__(self):
        for name in ("batch_size", "eval_batch_size", "epochs", "restart_epochs", "restart_factor", "prefetch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: found {getattr(self, name)}, wanted at least 1")
        for name in ("learning_rate", "epsilon", "gradient_clip", "background_weight", "timeout_seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}: found {getattr(self, name)}, wanted more than 0")
        for name in ("end_learning_rate", "warmup_epochs", "weight_decay", "threads", "workers", "cache_gib"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name}: found {getattr(self, name)}, wanted 0 or more")
        if not 0 <= self.average_decay < 1:
            raise ValueError(f"average_decay: found {self.average_decay}, wanted 0 <= average_decay < 1")
        choices = {"precision": ("auto", "float32", "bfloat16"), "device": ("auto", "cpu", "cuda")}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}: found {getattr(self, name)!r}, wanted one of {', '.join(allowed)}")

    def digest(self) -> str:
        """sha256 of the config as canonical JSON."""
        return hashlib.sha256(json.dumps(self.fields(), sort_keys=True).encode()).hexdigest()

    def fields(self) -> dict[str, Any]:
        """Every field and its value."""
        return shallow(self)


def load_config(path: Path, assignments: list[str]) -> TrainConfig:
    """The config in a YAML file with `field=value` assignments on top.

    Raises ValueError for a missing file, an unknown field or a value of another type.
    """
    config = build(TrainConfig, read_yaml(path) or {}, str(path))
    return override(config, assignments) if assignments else config


def config_path(problem: str) -> Path:
    """Where the defaults of a problem are."""
    return CONFIGS / f"{problem}.yaml"


def resolve(config: TrainConfig, cores: int, local_ranks: int, ranks: int = 1) -> TrainConfig:
    """`config` with "auto", None and 0 replaced by what this machine gives, so that the log says what ran."""
    device = config.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    precision = config.precision
    if precision == "auto":
        precision = "bfloat16" if device == "cuda" or cpu_has_bfloat16() else "float32"
    threads = config.threads or max(1, cores // local_ranks)
    layout = config.layout or (ranks, 1, 1, 1)
    return dataclasses.replace(config, device=device, precision=precision, threads=threads, layout=layout)


def cpu_has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 itself; emulated, it is slower than float32."""
    cpu = torch.cpu
    return any(getattr(cpu, name, lambda: False)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
