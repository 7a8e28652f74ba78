"""Blocks of a network that can be run again in the backward pass; parameters counted."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Sequential):
    """Layers in a row; with `recompute`, training keeps their input alone and runs them again in the backward pass."""

    recompute = False

    def forward(self, x: Tensor) -> Tensor:
        if self.recompute and torch.is_grad_enabled():
            return checkpoint(super().forward, x, use_reentrant=False, preserve_rng_state=False)
        return super().forward(x)


def recompute_blocks(model: nn.Module) -> None:
    """Let every block of a model keep its input alone: less memory for activations, a forward pass more."""
    for module in model.modules():
        if isinstance(module, Block):
            module.recompute = True


def parameter_count(model: nn.Module) -> int:
    """Trainable numbers of a model."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
