"""The task DeepCAM: the network with its settings, its optimizers and its metric."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from benchmark.config import setting
from benchmark.deepcam.problem import CHANNELS, CLASSES, Problem
from benchmark.run import keys

from ..config import RunConfig
from ..parallel.gradients import average_gradients
from ..parallel.layout import Layout
from ..task import Evaluation, Tensors
from ..training.step import autocast
from .lamb import LAMB
from .loss import WEIGHTS, loss_from_sums, loss_sums, mean_overlap, overlaps, to_input
from .model import DeepLab
from .norm import average_statistics, group_norms
from .schedule import Schedule

MAX_GRAD_NORM = 1.0  # of LAMB, in the closed division


@dataclass(frozen=True)
class Config(RunConfig):
    """The settings of DeepCAM's runs, on top of those of every run. Defaults are those of MLPerf HPC's script, whose
    warm-up and milestone of 400 and 800 steps are so many epochs at its batch of 2."""

    optimizer: str = setting("LAMB", choices=("LAMB", "Adam", "AdamW"))  # LAMB, Adam or AdamW
    learning_rate: float = setting(5.5e-3, above=0)  # the full rate is this times `warmup_factor`
    beta_1: float = setting(0.9, least=0, below=1)  # decay of the moving average of gradients
    beta_2: float = setting(0.999, least=0, below=1)  # decay of the moving average of gradients' squares
    epsilon: float = setting(1e-6, above=0)  # added to the root of the averaged squares
    weight_decay: float = setting(1e-2, least=0)  # of the weights, in the update (LAMB, AdamW) or gradient (Adam)
    schedule: str = setting("multistep", choices=("multistep", "cosine_annealing"))  # after a linear warm-up
    warmup_epochs: float = setting(0.0066, least=0)  # of the ramp to the full rate, from 0 or from `learning_rate`
    warmup_factor: float = setting(1.0, least=1)  # of the full rate
    decay_epochs: tuple[float, ...] = (0.0132,)  # of multistep: the rate is multiplied by `decay_rate` after each
    decay_rate: float = setting(0.1, above=0)  # of multistep: the factor
    cosine_epochs: float = setting(1.0, above=0)  # of cosine_annealing: from the full rate to `eta_min`
    eta_min: float = setting(0.0, least=0)  # of cosine_annealing: the lowest rate
    batchnorm_group_size: int = setting(1, least=1)  # consecutive ranks that share the statistics of batch norm

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("recompute", "recompute_norms"):
            if getattr(self, name):
                raise ValueError(f"{name}: found true, wanted false: batch norm would count every batch twice")
        if self.sharding != "ddp":
            raise ValueError(f"sharding: found {self.sharding!r}, wanted 'ddp': LAMB takes norms of whole weights")
        if self.average_epochs:
            raise ValueError(f"average_epochs: found {self.average_epochs:g}, wanted 0: no batch statistics")
        if self.layout and math.prod(self.layout) % self.batchnorm_group_size:
            ranks = math.prod(self.layout)
            raise ValueError(f"batchnorm_group_size: found {self.batchnorm_group_size}, wanted a divisor of {ranks}")


@dataclass(frozen=True)
class Task:
    """See task.py of the implementation."""

    problem: Problem
    config: Config
    metric: ClassVar[str] = keys.mllog.EVAL_ACCURACY
    quantity: ClassVar[str] = "IoU"
    evaluations_per_epoch: ClassVar[int] = 1
    lower: ClassVar[bool] = False

    @cached_property
    def weight(self) -> Tensor:
        """The weight of each class in the cross-entropy (3,), on the device."""
        return torch.tensor(WEIGHTS, device=self.config.device)

    def steps(self, epochs: float) -> int:
        """Return the steps in so many epochs, rounded."""
        return round(epochs * math.ceil(self.problem.train_samples / self.config.batch_size))

    @cached_property
    def schedule(self) -> Schedule:
        """The learning rate by step."""
        c = self.config
        return Schedule(
            c.schedule,
            c.learning_rate,
            self.steps(c.warmup_epochs),
            c.warmup_factor,
            milestones=tuple(map(self.steps, c.decay_epochs)),
            decay=c.decay_rate,
            length=max(1, self.steps(c.cosine_epochs)),
            end=c.eta_min,
        )

    def build_model(self) -> nn.Module:
        return DeepLab(CHANNELS, len(CLASSES), self.problem.middle, self.problem.divisor)

    def parallelize(self, model: nn.Module, layout: Layout) -> nn.Module:
        """Return the model with batch norm over groups of ranks. Running statistics are each rank's own."""
        if layout.ranks == 1:
            return model
        group_norms(model, layout, self.config.batchnorm_group_size, self.config.timeout_seconds)
        averaged = average_gradients(model)
        averaged.broadcast_buffers = False  # the argument has other names in older and newer PyTorch
        return averaged

    def build_optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        """LAMB, Adam (Kingma and Ba 2015, arXiv:1412.6980) or AdamW (Loshchilov and Hutter 2019, arXiv:1711.05101)."""
        c = self.config
        settings = {"lr": c.learning_rate, "betas": (c.beta_1, c.beta_2), "eps": c.epsilon}
        settings["weight_decay"] = c.weight_decay
        if c.optimizer == "LAMB":
            return LAMB(model.parameters(), max_grad_norm=MAX_GRAD_NORM, **settings)
        return {"Adam": torch.optim.Adam, "AdamW": torch.optim.AdamW}[c.optimizer](
            model.parameters(), fused=True, **settings
        )

    def learning_rate(self, epochs: float) -> float:
        """Return the rate of the step that this many epochs lead to."""
        return self.schedule(self.steps(epochs))

    def loss(self, model: nn.Module, batch: Tensors, layout: Layout) -> Tensor:
        """Return the loss from data (N, H, W, 16), the channels' ranges (N, 2, 16) and labels (N, H, W). All layers
        accept N = 0, whose sums are 0."""
        data, limits, label = batch
        with autocast(self.config):
            logits = model(to_input(data, limits))
        return loss_from_sums(layout.add(loss_sums(logits, label, self.weight)))

    @torch.inference_mode()
    def evaluate(self, model: nn.Module, batches: Iterable[Tensors], layout: Layout) -> Evaluation:
        """Return the intersection over union, mean over classes and samples. Its facts are the classes' sums."""
        average_statistics(model, layout)
        values = []
        for data, limits, label in batches:
            with autocast(self.config):
                logits = model(to_input(data, limits))
            values += overlaps(logits, label)
        score, sums = mean_overlap(values, layout)
        return Evaluation(score, {"sums": sums})

    def events(self) -> dict[str, Any]:
        """Return the hyperparameters under the keys of MLPerf HPC's checker, which count in steps."""
        c = self.config
        events = {
            "gradient_accumulation_frequency": c.accumulate,
            "batchnorm_group_size": c.batchnorm_group_size,
            "opt_name": c.optimizer,
            "opt_lr": c.learning_rate,
            "opt_betas": [c.beta_1, c.beta_2],
            "opt_eps": c.epsilon,
            "opt_weight_decay": c.weight_decay,
            "scheduler_type": c.schedule,
            "scheduler_lr_warmup_steps": self.schedule.warmup_steps,
            "scheduler_lr_warmup_factor": c.warmup_factor,
        }
        if c.optimizer == "LAMB":
            lamb = {"opt_bias_correction": True, "opt_grad_averaging": True, "opt_max_grad_norm": MAX_GRAD_NORM}
            events |= lamb
        if c.schedule == "multistep":
            return events | {"scheduler_milestones": [*self.schedule.milestones], "scheduler_decay_rate": c.decay_rate}
        return events | {"scheduler_t_max": self.schedule.length, "scheduler_eta_min": c.eta_min}
