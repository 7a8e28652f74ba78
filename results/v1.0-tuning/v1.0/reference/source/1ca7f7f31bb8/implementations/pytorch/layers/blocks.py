"""Blocks of a network that can be run again, as a whole or in part, in the backward pass; parameters counted."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

JOINS = ("concat", "split", "auto")
INDICES = 2**31  # elements that 32-bit indices tell apart


class Block(nn.Sequential):
    """Layers in a row, whose input may come in parts, channels of one after the other's.

    With `recompute` "block", training keeps its input alone and runs it again in the backward pass. With "norms" it
    keeps what convolutions give too, and repeats what lies between them: joining parts, norms and activations.

    With `join` "concat" the parts are put into one tensor, with "split" they never are: the first layer, a convolution
    then, gets them apart and adds up what they give. "auto" splits where the tensor would be too large to index.
    """

    recompute = ""
    join = "auto"

    def forward(self, *parts: Tensor) -> Tensor:
        apart = len(parts) > 1 and (self.join == "split" or (self.join == "auto" and too_large(parts)))
        if not (self.recompute and torch.is_grad_enabled()):
            return run(self, apart, *parts)
        for layers in [list(self)] if self.recompute == "block" else groups(self):
            if apart and len(layers) == 1:  # a convolution alone: it keeps the parts, and there is nothing to repeat
                parts = (run(layers, apart, *parts),)
            else:
                parts = (checkpoint(run, layers, apart, *parts, use_reentrant=False, preserve_rng_state=False),)
            apart = False
        return parts[0]


def too_large(parts: tuple[Tensor, ...]) -> bool:
    """Whether the parts (N, C, ...), joined and with a halo around them, have more elements than 32-bit indices."""
    voxels = math.prod(extent + 2 for extent in parts[0].shape[2:])
    return len(parts[0]) * sum(x.shape[1] for x in parts) * voxels >= INDICES


def run(layers: Iterable[nn.Module], apart: bool, *parts: Tensor) -> Tensor:
    """The layers, one after another, on the parts (N, C, ...) of their input, which are joined or go `apart`."""
    x = parts if apart or len(parts) == 1 else (torch.cat(parts, 1),)
    for layer in layers:
        x = (layer(*x),)
    return x[0]


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


def join_parts(model: nn.Module, kind: str) -> None:
    """Let every block of a model join the parts of its input as one of `JOINS` says."""
    for module in model.modules():
        if isinstance(module, Block):
            module.join = kind


def parameter_count(model: nn.Module) -> int:
    """Trainable numbers of a model."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
