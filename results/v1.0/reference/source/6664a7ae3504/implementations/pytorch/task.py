"""A task is a workload's part of this implementation: its network, optimizer, loss and score. <workload>/task.py
defines its `Config` and its `Task`.

Everything outside those folders is the same for all workloads and finds them by name.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from .config import RunConfig
from .parallel.layout import Layout

Tensors = tuple[Tensor, ...]  # a batch, (N, ...) each: what benchmark/workload.py's `read_sample` gives, stacked


class Evaluation(NamedTuple):
    """The result of an evaluation. `facts` are the numbers behind it, the metadata of its event in the log."""

    value: float
    facts: dict[str, Any]


class Task(Protocol):
    """A frozen dataclass Task(problem, config). `metric` is the log's key of the score, `quantity` its name for people.
    `lower` says that a lower score is better. The model is evaluated `evaluations_per_epoch` times. A task may have
    `prepare(root, layout)`, which looks at the training data before the first epoch, on the clock."""

    problem: Any
    config: Any
    metric: str
    quantity: str
    evaluations_per_epoch: int
    lower: bool

    def build_model(self) -> nn.Module:
        """Return the network with fresh weights, on the CPU, written for one device."""

    def parallelize(self, model: nn.Module, layout: Layout) -> nn.Module:
        """Return the same network for this rank's share and box. For ordinary layers, call
        `spatial.parallelize`."""

    def build_optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        """Return the optimizer. Its learning rate is set at every step."""

    def learning_rate(self, epochs: float) -> float:
        """Return the learning rate after `epochs`, which may be a fraction."""

    def loss(self, model: nn.Module, batch: Tensors, layout: Layout) -> Tensor:
        """Return the loss of the whole batch, which is the same on all ranks, from this rank's part. N may be 0."""

    def evaluate(self, model: nn.Module, batches: Iterable[Tensors], layout: Layout) -> Evaluation:
        """Return the score over all ranks' batches. Ranks may have different numbers of batches."""

    def events(self) -> dict[str, Any]:
        """Return this benchmark's own events of the log: its hyperparameters under their standard keys."""


def config_class(workload: str) -> type[RunConfig]:
    """Return the class of settings of a workload's runs."""
    return _module(workload).Config


def build_task(problem: Any, config: RunConfig) -> Task:
    """Return the task of a problem."""
    return _module(problem.workload).Task(problem, config)


def _module(workload: str) -> Any:
    return import_module(f".{workload}.task", __package__)
