"""What blocks keep for the backward pass, and that gradients don't depend on it."""

import pytest
import torch

from implementations.pytorch.blocks import groups, recompute_blocks
from implementations.pytorch.config import RunConfig
from implementations.pytorch.scaffold.model import UNet

LAST = torch.channels_last_3d


def saved_bytes(kind):
    """Of a small U-Net: loss and gradients, and the bytes that its forward pass leaves to the backward pass."""
    torch.manual_seed(0)
    model = UNet(classes=3, width=8, levels=2).double().to(memory_format=LAST)
    if kind:
        recompute_blocks(model, kind)
    weights, kept = {p.untyped_storage().data_ptr() for p in model.parameters()}, {}

    def keep(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage()
        return tensor

    x = torch.randn(1, 1, 16, 16, 16, dtype=torch.float64)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = model(x).square().mean()
    total = sum(storage.nbytes() for address, storage in kept.items() if address not in weights)
    loss.backward()
    return loss.item(), [p.grad for p in model.parameters()], total


def test_gradients_are_the_same_and_less_is_kept():
    loss, gradients, kept = saved_bytes("")
    shares = []
    for kind in ("norms", "block"):
        found, others, less = saved_bytes(kind)
        assert found == loss
        for a, b in zip(gradients, others, strict=True):
            torch.testing.assert_close(a, b, rtol=0, atol=0)
        shares.append(less / kept)
    assert 1 > shares[0] > shares[1]
    assert shares[0] < 0.75


def test_groups_end_with_convolutions():
    up = UNet(classes=3, width=8, levels=1).up[0]
    assert [[type(layer).__name__ for layer in group] for group in groups(up)] == [
        ["Conv3d"],
        ["NormReLU", "Conv3d"],
        ["NormReLU"],
    ]


def test_one_way_of_recomputing_at_a_time():
    with pytest.raises(ValueError, match="recompute_norms: found true beside recompute"):
        RunConfig(recompute=True, recompute_norms=True)
