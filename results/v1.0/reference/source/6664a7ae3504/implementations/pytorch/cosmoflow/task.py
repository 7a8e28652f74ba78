"""The task CosmoFlow: the network with its settings, its loss and its metric."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from benchmark.config import setting
from benchmark.cosmoflow.problem import PARAMETERS, Problem
from benchmark.metric import mean, sums
from benchmark.run import keys
from benchmark.run.errors import Aborted

from ..config import MOST_SAMPLES, RunConfig
from ..parallel.gradients import plain_model
from ..parallel.layout import Layout
from ..task import Evaluation, Tensors
from ..training.step import autocast, never_empty
from .model import build_model, to_input
from .split import parallelize


@dataclass(frozen=True)
class Config(RunConfig):
    """The settings of CosmoFlow's runs, on top of those of every run. Defaults are MLPerf HPC's reference's."""

    batch_size: int = setting(64, least=1, most=MOST_SAMPLES)
    epochs: int = setting(128, least=1, most=10**6)
    base_learning_rate: float = setting(1e-3, above=0)  # at `base_batch_size`; in proportion to the batch
    base_batch_size: int = setting(64, least=1)  # the batch that `base_learning_rate` is for
    momentum: float = setting(0.9, least=0, below=1)  # of SGD
    warmup_epochs: float = setting(4.0, least=0)  # of a linear ramp up to the full rate
    warmup_factor: float = setting(0.0, least=0)  # the ramp starts at the full rate over this; 0: the base
    decay_epochs: tuple[int, ...] = (32, 64)  # from each of these on, the rate is the full one times its factor
    decay_factors: tuple[float, ...] = (0.25, 0.125)  # of the full rate, one for each of `decay_epochs`
    dropout: float = setting(0.5, least=0, below=1)  # share of hidden dense outputs that are left out
    weight_decay: float = setting(0.0, least=0)  # of the squares of hidden dense weights in the loss

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.decay_epochs) != len(self.decay_factors) or list(self.decay_epochs) != sorted(self.decay_epochs):
            found = f"{list(self.decay_epochs)} and {list(self.decay_factors)}"
            raise ValueError(f"decay_epochs and decay_factors: found {found}, wanted as many, in order of epoch")
        if self.sharding == "fsdp" and self.weight_decay:
            raise ValueError("sharding: found 'fsdp', wanted 'ddp' with a weight_decay: its term takes whole weights")

    @property
    def scale(self) -> float:
        """The factor by which the batch size scales the base rate."""
        return self.batch_size / self.base_batch_size


@dataclass(frozen=True)
class Task:
    """See task.py of the implementation."""

    problem: Problem
    config: Config
    metric: ClassVar[str] = keys.EVAL_ERROR
    quantity: ClassVar[str] = "MAE"
    evaluations_per_epoch: ClassVar[int] = 1
    lower: ClassVar[bool] = True

    def build_model(self) -> nn.Module:
        return build_model(self.problem, self.config.dropout)

    def parallelize(self, model: nn.Module, layout: Layout) -> nn.Module:
        return parallelize(model, layout, self.config.batch_size, self.config.sharding)

    def build_optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        """SGD with momentum: velocity = momentum velocity + gradient, weights -= rate velocity."""
        fused = self.config.sharding == "ddp"  # PyTorch 2.13 has no fused SGD of sharded weights
        return torch.optim.SGD(model.parameters(), self.full_rate, momentum=self.config.momentum, fused=fused)

    @property
    def full_rate(self) -> float:
        """The rate after the warm-up."""
        return self.config.base_learning_rate * self.config.scale

    @property
    def warmup_factor(self) -> float:
        """The rate after the warm-up over that at its start."""
        return self.config.warmup_factor or self.config.scale

    def learning_rate(self, epochs: float) -> float:
        """Return the rate: a linear warm-up, then steps down."""
        c, start = self.config, self.full_rate / self.warmup_factor
        if epochs < c.warmup_epochs:
            return start + (self.full_rate - start) * epochs / c.warmup_epochs
        passed = [f for e, f in zip(c.decay_epochs, c.decay_factors, strict=True) if e <= epochs]
        return self.full_rate * (passed[-1] if passed else 1.0)

    def loss(self, model: nn.Module, batch: Tensors, layout: Layout) -> Tensor:
        """Return the mean squared error plus the L2 term, from counts, int16 (N, D, H, W, C), and parameters, float32
        (N, 4). Ranks that share a sample all have its prediction, and each counts its share of it. A rank without a
        sample takes part with a blank one that does not count."""
        (counts, true), here = never_empty(batch)
        with autocast(self.config):
            predicted = model(to_input(counts))
        squares = (predicted.double() - true).square().sum()
        samples = torch.full_like(squares, len(true))
        total, samples = layout.add(torch.stack([squares, samples]) * (here / layout.boxes))
        loss = total / (samples * PARAMETERS)
        decay = self.config.weight_decay
        return loss + decay * plain_model(model).penalty() if decay else loss

    @torch.inference_mode()
    def evaluate(self, model: nn.Module, batches: Iterable[Tensors], layout: Layout) -> Evaluation:
        """Return the mean absolute error, from sums over all samples that are rounded once and do not depend on batches
        and ranks. Raises Aborted if it is not finite."""
        errors = []
        for counts, true in batches:
            with autocast(self.config):
                predicted = model(to_input(counts))
            errors += (predicted.double() - true).abs().tolist()
        first = layout.place[1:] == (0, 0, 0)  # of the ranks that share samples, one
        every = [error for part in layout.gather(errors if first else []) for error in part]
        totals = sums(every)
        error = mean(totals, len(every))
        if not math.isfinite(error):
            raise Aborted(f"the mean absolute error is {error}")
        return Evaluation(error, {"sums": totals})

    def events(self) -> dict[str, Any]:
        """Return the hyperparameters under MLPerf HPC's names. Its base rate is the rate after the warm-up."""
        c = self.config
        return {
            "opt_name": "sgd",
            "sgd_opt_momentum": c.momentum,
            "opt_base_learning_rate": self.full_rate,
            "opt_learning_rate_warmup_epochs": c.warmup_epochs,
            "opt_learning_rate_warmup_factor": self.warmup_factor,
            "opt_learning_rate_decay_boundary_epochs": list(c.decay_epochs),
            "opt_learning_rate_decay_factor": list(c.decay_factors),
            "dropout": c.dropout,
            "opt_weight_decay": c.weight_decay,
        }
