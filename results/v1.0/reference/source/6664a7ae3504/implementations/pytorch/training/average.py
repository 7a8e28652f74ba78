"""The moving average of the weights, which a run evaluates if its config says so.

With a constant learning rate, the weights fluctuate. Their exponential moving average fluctuates less (Polyak and
Juditsky 1992). It costs one pass over the weights a step, and the memory of one more copy of them.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from ..config import RunConfig
from ..parallel.gradients import plain_model, to_local

FORGET = 0.7  # at first the average is over about the last steps^0.7 steps, so that it forgets the start


class Average:
    """The average over about the last `steps` steps, updated at every one: averaged += share (weights - averaged),
    share = max(1 / steps, number^-0.7), at most 1. Where weights are sharded, each rank averages its part."""

    def __init__(self, model: nn.Module, steps: float):
        self.least, self.steps = min(1.0, 1 / steps), 0
        self.weights = {name: torch.zeros_like(p) for name, p in plain_model(model).named_parameters()}
        self.averaged = [to_local(tensor.detach_()) for tensor in self.weights.values()]

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        """Update the average after a step of the optimizer."""
        self.steps += 1
        torch._foreach_lerp_(self.averaged, parts(model), max(self.least, self.steps**-FORGET))

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of the average."""
        return {"weights": self.weights, "steps": torch.tensor(self.steps)}

    def load(self, state: dict[str, Any]) -> None:
        """Resume from a checkpoint, which was read into the tensors of `state`."""
        self.steps = int(state["steps"])

    @contextlib.contextmanager
    def in_place_of(self, model: nn.Module) -> Iterator[None]:
        """Give the model the averaged weights within this context."""
        self.swap(model)
        try:
            yield
        finally:
            self.swap(model)

    @torch.no_grad()
    def swap(self, model: nn.Module) -> None:
        """Exchange averaged weights and weights."""
        for averaged, weights in zip(self.averaged, parts(model), strict=True):
            kept = weights.clone()
            weights.copy_(averaged)
            averaged.copy_(kept)


def average_of(model: nn.Module, config: RunConfig, samples: int) -> Average | None:
    """Return the average that a config wants, if any, where an epoch has so many samples."""
    steps = config.average_epochs * samples / config.batch_size
    return Average(model, steps) if steps else None


def parts(model: nn.Module) -> list[Tensor]:
    """Return this rank's part of each of a model's weights."""
    return [to_local(p.detach()) for p in model.parameters()]
