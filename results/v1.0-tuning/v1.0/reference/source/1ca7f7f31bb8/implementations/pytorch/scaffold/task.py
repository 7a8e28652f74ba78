"""ScaFFold as a task: the U-Net, its settings, its loss and its metric, put together."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from benchmark.scaffold.problem import Problem

from ..config import RunConfig, at_least, more_than, one_of
from ..layers.blocks import JOINS, join_parts
from ..parallel.layout import Layout
from ..parallel.spatial import parallelize
from ..task import Evaluation, Tensors
from ..training.adam import DenseAdam
from ..training.step import precise
from .evaluate import evaluate
from .loss import class_weights, loss_from_sums, loss_sums
from .model import build_model, to_input
from .schedule import cosine_decay


@dataclass(frozen=True)
class Config(RunConfig):
    """What ScaFFold's runs have beside what every run has."""

    learning_rate: float = 1e-3  # at the start of the cosine
    end_learning_rate: float = 1e-4  # at the end of the cosine, and from then on
    decay_epochs: float = 100.0  # length of the cosine
    warmup_epochs: float = 0.0  # of a linear ramp from 0 on top of the cosine; 0: none
    beta_1: float = 0.9  # decay of the moving average of gradients
    beta_2: float = 0.999  # decay of the moving average of gradients' squares
    epsilon: float = 1e-8  # added to the root of the averaged squares
    weight_decay: float = 0.0  # factor of the weights in the gradient
    gradient_clip: float = 1.0  # largest L2 norm of the gradient
    background_weight: float = 0.02  # of background voxels in the cross-entropy; the others weigh 1
    join: str = "auto"  # of skips: concat; split: convolved apart and added; auto: split where indices pass 32 bits

    def __post_init__(self):
        super().__post_init__()
        more_than(self, 0, "decay_epochs", "learning_rate", "epsilon", "gradient_clip", "background_weight")
        at_least(self, 0, "end_learning_rate", "warmup_epochs", "weight_decay")
        one_of(self, "join", *JOINS)
        if self.accumulate != 1:
            raise ValueError(f"accumulate: found {self.accumulate}, wanted 1: soft Dice is of a whole batch")


@dataclass(frozen=True)
class Task:
    """See task.py of the implementation."""

    problem: Problem
    config: Config
    metric: ClassVar[str] = "eval_accuracy"
    quantity: ClassVar[str] = "Dice"
    lower: ClassVar[bool] = False

    @cached_property
    def weight(self) -> Tensor:
        """Of each class in the cross-entropy (classes,), on the device."""
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
        return DenseAdam(model.parameters(), c.learning_rate, betas, c.epsilon, weight_decay=c.weight_decay, fused=True)

    def learning_rate(self, epochs: float) -> float:
        c = self.config
        return cosine_decay(epochs, c.learning_rate, c.end_learning_rate, c.decay_epochs, c.warmup_epochs)

    def loss(self, model: nn.Module, batch: Tensors, layout: Layout) -> Tensor:
        """From volume and label, uint8 (N, D, H, W) each. A rank without a sample takes part with an empty volume
        that counts for nothing."""
        here = len(batch[0]) > 0
        if not here:
            batch = tuple(torch.zeros((1, *x.shape[1:]), dtype=x.dtype, device=x.device) for x in batch)
        volume, label = batch
        with precise(self.config):
            logits = model(to_input(volume))
        sums = loss_sums(logits, label, self.weight)
        return loss_from_sums(layout.add(sums if here else sums * 0))

    def evaluate(self, model: nn.Module, batches: Iterable[Tensors], layout: Layout) -> Evaluation:
        return evaluate(model, batches, self.problem.classes, layout, self.config)

    def events(self) -> dict[str, Any]:
        c = self.config
        return {
            "opt_name": "adam",
            "opt_base_learning_rate": c.learning_rate,
            "opt_end_learning_rate": c.end_learning_rate,
            "opt_adam_beta_1": c.beta_1,
            "opt_adam_beta_2": c.beta_2,
            "opt_adam_epsilon": c.epsilon,
            "opt_weight_decay": c.weight_decay,
            "opt_gradient_clip_norm": c.gradient_clip,
            "opt_learning_rate_decay_schedule": "cosine_decay",
        }
