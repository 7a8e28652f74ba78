"""The task ScaFFold: the U-Net with its settings, its loss and its metric."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from benchmark.config import setting
from benchmark.run import keys
from benchmark.scaffold.problem import Problem

from ..config import RunConfig
from ..layers.blocks import JOINS, join_parts
from ..parallel.layout import Layout
from ..parallel.spatial import parallelize
from ..task import Evaluation, Tensors
from ..training.step import autocast, never_empty
from .evaluate import evaluate
from .loss import class_weights, loss_from_sums, loss_sums
from .model import build_model, to_input


@dataclass(frozen=True)
class Config(RunConfig):
    """The settings of ScaFFold's runs, on top of those of every run."""

    learning_rate: float = setting(1e-3, above=0)  # at the start of the cosine
    end_learning_rate: float = setting(1e-4, least=0)  # at the end of the cosine, and from then on
    decay_epochs: float = setting(100.0, above=0)  # length of the cosine
    warmup_epochs: float = setting(0.0, least=0)  # of a linear ramp from 0 on top of the cosine; 0: none
    beta_1: float = setting(0.9, least=0, below=1)  # decay of the moving average of gradients
    beta_2: float = setting(0.999, least=0, below=1)  # decay of the moving average of gradients' squares
    epsilon: float = setting(1e-8, above=0)  # added to the root of the averaged squares
    weight_decay: float = setting(0.0, least=0)  # factor of the weights in the gradient
    gradient_clip: float = setting(1.0, above=0)  # largest L2 norm of the gradient
    background_weight: float = setting(0.02, above=0)  # of background in the cross-entropy; others weigh 1
    accumulate: int = setting(1, least=1, most=1)  # a batch is computed in one, for its soft Dice
    join: str = setting("auto", choices=JOINS, machine=True)  # skips: concat, split, or split beyond 32-bit indices


@dataclass(frozen=True)
class Task:
    """See task.py of the implementation."""

    problem: Problem
    config: Config
    metric: ClassVar[str] = keys.mllog.EVAL_ACCURACY
    quantity: ClassVar[str] = "Dice"
    evaluations_per_epoch: ClassVar[int] = 1
    lower: ClassVar[bool] = False

    @cached_property
    def weight(self) -> Tensor:
        """The weight of each class in the cross-entropy (classes,), on the device."""
        return class_weights(self.problem.classes, self.config.background_weight).to(self.config.device)

    def build_model(self) -> nn.Module:
        model = build_model(self.problem)
        join_parts(model, self.config.join)
        return model

    def parallelize(self, model: nn.Module, layout: Layout) -> nn.Module:
        return parallelize(model, layout, self.config.sharding)

    def build_optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        """Adam (Kingma and Ba 2015, arXiv:1412.6980)."""
        c = self.config
        betas = (c.beta_1, c.beta_2)
        rate, decay = c.learning_rate, c.weight_decay
        return torch.optim.Adam(model.parameters(), rate, betas, c.epsilon, weight_decay=decay, fused=True)

    def learning_rate(self, epochs: float) -> float:
        c = self.config
        return cosine_decay(epochs, c.learning_rate, c.end_learning_rate, c.decay_epochs, c.warmup_epochs)

    def loss(self, model: nn.Module, batch: Tensors, layout: Layout) -> Tensor:
        """Return the loss from volume and label, uint8 (N, D, H, W) each. A rank without a sample takes part with a
        blank volume that does not count."""
        (volume, label), here = never_empty(batch)
        with autocast(self.config):
            logits = model(to_input(volume))
        sums = loss_sums(logits, label, self.weight)
        return loss_from_sums(layout.add(sums if here else sums * 0))

    def evaluate(self, model: nn.Module, batches: Iterable[Tensors], layout: Layout) -> Evaluation:
        return evaluate(model, batches, self.problem.classes, layout, self.config)

    def events(self) -> dict[str, Any]:
        return keys.scaffold_settings(self.config)


def cosine_decay(epoch: float, rate: float, end_rate: float, decay_epochs: float, warmup_epochs: float) -> float:
    """The rate at `epoch`, a fraction counted from 0: a cosine (Loshchilov and Hutter 2017, arXiv:1608.03983, without
    restarts) from `rate` to `end_rate` over `decay_epochs`, and `end_rate` from then on. Over the first
    `warmup_epochs` the rate is also multiplied by a linear ramp from 0 to 1."""
    cosine = (1 + math.cos(math.pi * min(1.0, epoch / decay_epochs))) / 2
    found = end_rate + (rate - end_rate) * cosine
    return found * min(1.0, epoch / warmup_epochs) if warmup_epochs else found
