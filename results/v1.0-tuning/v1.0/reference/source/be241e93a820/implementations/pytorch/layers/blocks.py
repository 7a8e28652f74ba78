"""Blocks of a network that can be recomputed in the backward pass, completely or in part, and the parameter count."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

JOINS = ("concat", "split", "auto")
INDICES = 2**31  # elements that 32-bit indices can address


class Block(nn.Sequential):
    """Layers in sequence. The input may come in parts, which together have the channels of the input.

    With `recompute` "block", training keeps only the block's input, and runs the block again in the backward pass. With
    "norms" it also keeps the outputs of convolutions, and repeats only what lies between them: joining parts, norms and
    activations.

    With `join` "concat" the parts are joined into one tensor. With "split" they are not: the first layer, which must be
    a convolution, gets them separately and adds up its results. "auto" splits where the tensor would be too large to
    index.
    """

    recompute = ""
    join = "auto"

    def forward(self, *parts: Tensor) -> Tensor:
        apart = len(parts) > 1 and (self.join == "split" or (self.join == "auto" and too_large(parts)))
        if not (self.recompute and torch.is_grad_enabled()):
            return run(self, apart, *parts)
        for layers in [list(self)] if self.recompute == "block" else groups(self):
            if apart and len(layers) == 1:  # a single convolution keeps the parts, and there is nothing to repeat
                parts = (run(layers, apart, *parts),)
            else:
                parts = (checkpoint(run, layers, apart, *parts, use_reentrant=False, preserve_rng_state=False),)
            apart = False
        return parts[0]


def too_large(parts: tuple[Tensor, ...]) -> bool:
    """Return whether the parts (N, C, ...), joined and with a halo, have too many elements for 32-bit indices."""
    voxels = math.prod(extent + 2 for extent in parts[0].shape[2:])
    return len(parts[0]) * sum(x.shape[1] for x in parts) * voxels >= INDICES


def run(layers: Iterable[nn.Module], apart: bool, *parts: Tensor) -> Tensor:
    """Run the layers on the parts (N, C, ...) of their input, which are joined first unless `apart` is true."""
    x = parts if apart or len(parts) == 1 else (torch.cat(parts, 1),)
    for layer in layers:
        x = (layer(*x),)
    return x[0]


def groups(layers: Iterable[nn.Module]) -> list[list[nn.Module]]:
    """Return the layers in groups that each end with a convolution.

    Recomputing a group stops as soon as the convolution's kept input is there, before the convolution itself.
    """
    found = [[]]
    for layer in layers:
        found[-1].append(layer)
        weight = getattr(layer, "weight", None)
        if weight is not None and weight.dim() > 2:
            found.append([])
    return [group for group in found if group]


def recompute_blocks(model: nn.Module, kind: str = "block") -> None:
    """Have every block of a model keep less for the backward pass: only its input ("block"), which costs another
    forward pass, or also the outputs of its convolutions ("norms"), which costs little."""
    for module in model.modules():
        if isinstance(module, Block):
            module.recompute = kind


def join_parts(model: nn.Module, kind: str) -> None:
    """Have every block of a model join the parts of its input as `kind`, one of `JOINS`, says."""
    for module in model.modules():
        if isinstance(module, Block):
            module.join = kind


def parameter_count(model: nn.Module) -> int:
    """Return the number of a model's trainable parameters."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
