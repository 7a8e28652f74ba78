"""A task: what a workload is to this implementation. Its folder, <workload>/task.py, has its `Config` and `Task`.

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
    """The result of an evaluation. `facts` is what it follows from: the metadata of its event in the log."""

    value: float
    facts: dict[str, Any]


class Task(Protocol):
    """A frozen dataclass Task(problem, config). `metric` is the log's key, `quantity` its name for people; `lower`
    says that less is better."""

    problem: Any
    config: Any
    metric: str
    quantity: str
    lower: bool

    def build_model(self) -> nn.Module:
        """The network with fresh weights, on the CPU, written for one device."""

    def parallelize(self, model: nn.Module, layout: Layout) -> nn.Module:
        """The same network for this rank's share and box; `spatial.parallelize`, if nothing is special."""

    def build_optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        """The optimizer. Its rate is set at every step."""

    def learning_rate(self, epochs: float) -> float:
        """The rate so many epochs, whole or not, after the start."""

    def loss(self, model: nn.Module, batch: Tensors, layout: Layout) -> Tensor:
        """The loss of the whole batch, over all ranks and the same on all, from this rank's part; N = 0 is a part."""

    def evaluate(self, model: nn.Module, batches: Iterable[Tensors], layout: Layout) -> Evaluation:
        """The score over all ranks' batches, whose numbers may differ."""

    def events(self) -> dict[str, Any]:
        """Events of the log that this benchmark has of its own: its hyperparameters under their standard keys."""


def config_class(workload: str) -> type[RunConfig]:
    """The settings of a workload's runs."""
    return _module(workload).Config


def build_task(problem: Any, config: RunConfig) -> Task:
    """The task of a problem."""
    return _module(problem.workload).Task(problem, config)


def _module(workload: str) -> Any:
    return import_module(f".{workload}.task", __package__)
