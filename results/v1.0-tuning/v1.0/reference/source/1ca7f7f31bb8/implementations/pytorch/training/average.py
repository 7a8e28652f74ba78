"""The moving average of the weights, which a run evaluates if its config says so.

With a steady learning rate the weights jitter around where they are going; their exponential moving average
does not (Polyak and Juditsky 1992). It costs one pass over the weights a step, and nothing in memory that counts.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from ..parallel.gradients import local, plain_model

FORGET = 0.7  # early on the average is over about the last steps^0.7, so that it does not drag the start along


class Average:
    """averaged += share (weights - averaged) at every step, share = max(1 - decay, step^-0.7). Where weights are
    sharded, each rank averages its part."""

    def __init__(self, model: nn.Module, decay: float):
        self.decay, self.steps = decay, 0
        self.weights = {name: torch.zeros_like(p) for name, p in plain_model(model).named_parameters()}
        self.averaged = [local(tensor.detach_()) for tensor in self.weights.values()]

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        """After a step of the optimizer."""
        self.steps += 1
        torch._foreach_lerp_(self.averaged, parts(model), max(1 - self.decay, self.steps**-FORGET))

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        return {"weights": self.weights, "steps": torch.tensor(self.steps)}

    def load(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint, into whose tensors, the average's own, it was read."""
        self.steps = int(state["steps"])

    @contextlib.contextmanager
    def in_place_of(self, model: nn.Module) -> Iterator[None]:
        """The model has the average for its weights within this context."""
        self.swap(model)
        try:
            yield
        finally:
            self.swap(model)

    @torch.no_grad()
    def swap(self, model: nn.Module) -> None:
        """Exchange average and weights."""
        for averaged, weights in zip(self.averaged, parts(model), strict=True):
            kept = weights.clone()
            weights.copy_(averaged)
            averaged.copy_(kept)


def parts(model: nn.Module) -> list[Tensor]:
    """This rank's part of each of a model's weights."""
    return [local(p.detach()) for p in model.parameters()]


def average_of(model: nn.Module, decay: float) -> Average | None:
    """The moving average of a model's weights, or None if `decay` is 0: the weights themselves are evaluated."""
    return Average(model, decay) if decay else None
