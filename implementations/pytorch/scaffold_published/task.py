"""The task ScaFFold as published: ScaFFold's U-Net and loss, with the authors' input, schedule and score."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from benchmark.config import setting
from benchmark.dice_by_sample import dice_sums, ordered
from benchmark.metric import mean
from benchmark.run import keys
from benchmark.scaffold_published.problem import COLOURS, Problem
from benchmark.scaffold_published.weights import class_counts, class_weights, looked_at

from ..config import MOST_SAMPLES, RunConfig
from ..layers.blocks import JOINS, join_parts
from ..parallel.layout import Layout
from ..parallel.spatial import parallelize
from ..scaffold.evaluate import confusion_counts
from ..scaffold.loss import loss_from_sums, loss_sums
from ..scaffold.model import UNet
from ..task import Evaluation, Tensors
from ..training.step import autocast, never_empty


@dataclass(frozen=True)
class Config(RunConfig):
    """The settings of runs of ScaFFold as published, on top of those of every run."""

    batch_size: int = setting(1, least=1, most=MOST_SAMPLES)
    eval_batch_size: int = setting(1, least=1, most=MOST_SAMPLES, machine=True)
    learning_rate: float = setting(1e-3, above=0)  # at the start of each cosine
    end_learning_rate: float = setting(0.0, least=0)  # at the end of each cosine
    restart_epochs: int = setting(100, least=1)  # length of a cosine, after which the next one starts
    beta_1: float = setting(0.9, least=0, below=1)  # decay of the moving average of gradients
    beta_2: float = setting(0.999, least=0, below=1)  # decay of the moving average of gradients' squares
    epsilon: float = setting(1e-8, above=0)  # added to the root of the averaged squares
    weight_decay: float = setting(0.0, least=0)  # factor of the weights in the gradient
    gradient_clip: float = setting(1.0, above=0)  # largest L2 norm of the gradient
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
        """The weight of each class in the cross-entropy (classes,), on the device: 1 until `prepare` estimates it."""
        return torch.ones(self.problem.classes, device=self.config.device)

    def prepare(self, root: Path, layout: Layout) -> None:
        """Estimate the classes' weights from a tenth of the training masks. Ranks add up what they count."""
        mine, box = layout.share(looked_at(self.problem)), layout.box(self.problem.shape)
        counts = sum(layout.gather(class_counts(root, self.problem, mine, box)))
        self.weight.copy_(torch.from_numpy(class_weights(counts)))

    def build_model(self) -> nn.Module:
        model = UNet(self.problem.classes, self.problem.width, self.problem.levels, COLOURS)
        join_parts(model, self.config.join)
        return model.to(memory_format=torch.channels_last_3d)

    def parallelize(self, model: nn.Module, layout: Layout) -> nn.Module:
        return parallelize(model, layout, self.config.sharding)

    def build_optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        """Adam (Kingma and Ba 2015, arXiv:1412.6980)."""
        c = self.config
        betas, decay = (c.beta_1, c.beta_2), c.weight_decay
        return torch.optim.Adam(model.parameters(), c.learning_rate, betas, c.epsilon, weight_decay=decay, fused=True)

    def learning_rate(self, epochs: float) -> float:
        """Return the rate of a cosine with warm restarts (Loshchilov and Hutter 2017, arXiv:1608.03983)."""
        c = self.config
        cosine = (1 + math.cos(math.pi * (epochs % c.restart_epochs) / c.restart_epochs)) / 2
        return c.end_learning_rate + (c.learning_rate - c.end_learning_rate) * cosine

    def loss(self, model: nn.Module, batch: Tensors, layout: Layout) -> Tensor:
        """Return the loss from colours, float32 (N, 3, D, H, W), and classes, uint8 (N, D, H, W). A rank without a
        sample takes part with a blank volume that does not count."""
        (colours, label), here = never_empty(batch)
        with autocast(self.config):
            logits = model(colours)
        sums = loss_sums(logits, label, self.weight)
        return loss_from_sums(layout.add(sums if here else sums * 0))

    @torch.no_grad()  # the norms' kernels would be compiled once more for tensors of inference mode
    def evaluate(self, model: nn.Module, batches: Iterable[Tensors], layout: Layout) -> Evaluation:
        """Return the mean Dice over samples and classes, its sums by class, and the counts of each sample."""
        classes, rows = self.problem.classes, []
        for colours, label in batches:
            with autocast(self.config):
                logits = model(colours)
            every = zip(logits.split(1), label.split(1), strict=True)
            confusion = layout.add_over_volume(torch.stack([confusion_counts(*one) for one in every]))
            matrix = confusion.view(-1, classes, classes)  # by sample, true class, predicted class
            counts = torch.stack([matrix.diagonal(dim1=1, dim2=2), matrix.sum(1), matrix.sum(2)], 2)
            rows += counts[:, 1:].tolist()
        first = layout.place[1:] == (0, 0, 0)  # of the ranks that share samples, one
        every = ordered(row for part in layout.gather(rows if first else []) for row in part)
        totals = dice_sums(every)
        return Evaluation(mean(totals, len(every)), {"sums": totals, "counts": every})

    def events(self) -> dict[str, Any]:
        return keys.scaffold_settings(self.config) | {keys.mllog.OPT_LR_DECAY_SCHEDULE: "cosine_warm_restarts"}
