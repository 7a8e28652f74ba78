"""Blocks of a network that can be run again, as a whole or in part, in the backward pass; parameters counted."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Sequential):
    """Layers in a row, whose input may come in parts, channels of one after the other's.

    With `recompute` "block", training keeps its input alone and runs it again in the backward pass. With "norms" it
    keeps what convolutions give too, and repeats what lies between them: joining parts, norms and activations.
    """

    recompute = ""

    def forward(self, *parts: Tensor) -> Tensor:
        if not (self.recompute and torch.is_grad_enabled()):
            return run(self, *parts)
        for layers in [list(self)] if self.recompute == "block" else groups(self):
            parts = (checkpoint(run, layers, *parts, use_reentrant=False, preserve_rng_state=False),)
        return parts[0]


def run(layers: Iterable[nn.Module], *parts: Tensor) -> Tensor:
    """The layers, one after another, on the parts (N, C, ...) of their input."""
    x = parts[0] if len(parts) == 1 else torch.cat(parts, 1)
    for layer in layers:
        x = layer(x)
    return x


def groups(layers: Iterable[nn.Module]) -> list[list[nn.Module]]:
    """Layers in groups that end with a convolution each.

    Run again, a group ends as soon as it has what its convolution kept: before the convolution itself.
    """
    found = [[]]
    for layer in layers:
        found[-1].append(layer)
        weight = getattr(layer, "weight", None)
        if weight is not None and weight.dim() > 2:
            found.append([])
    return [group for group in found if group]


def recompute_blocks(model: nn.Module, kind: str = "block") -> None:
    """Let every block of a model keep less for the backward pass: its input alone ("block"), at the price of a forward
    pass, or that and what its convolutions give ("norms"), at next to none."""
    for module in model.modules():
        if isinstance(module, Block):
            module.recompute = kind


def parameter_count(model: nn.Module) -> int:
    """Trainable numbers of a model."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
