"""An average of the weights over the last steps: what a run evaluates, if its config says so.

With a steady learning rate the weights jitter around where they are going; their exponential moving average
does not (Polyak and Juditsky 1992). It costs one pass over the weights a step, and nothing in memory that counts.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

FORGET = 0.7  # early on the average is over about the last steps^0.7, so that it does not drag the start along


def average_of(model: nn.Module, decay: float) -> AveragedModel | None:
    """The moving average of a model's weights, or None if `decay` is 0: the weights themselves are evaluated."""
    return AveragedModel(model, multi_avg_fn=moving_average(decay)) if decay else None


def moving_average(decay: float) -> Callable[[list[Tensor], list[Tensor], Tensor], None]:
    """The update averaged += share (weights - averaged), share = max(1 - decay, steps^-0.7)."""

    @torch.no_grad()
    def update(averaged: list[Tensor], weights: list[Tensor], steps: Tensor) -> None:
        torch._foreach_lerp_(averaged, weights, max(1 - decay, int(steps + 1) ** -FORGET))

    return update
