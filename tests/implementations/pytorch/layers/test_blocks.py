"""What blocks keep for the backward pass, and that gradients don't depend on it."""

from functools import cache

import pytest
import torch

from benchmark.problem import load_problem
from implementations.pytorch.layers import blocks
from implementations.pytorch.layers.blocks import join_parts, recompute_blocks
from implementations.pytorch.scaffold.model import UNet
from implementations.pytorch.scaffold.task import Config, Task

LAST = torch.channels_last_3d


@cache
def saved_bytes(kind, join="concat"):
    """Of a small U-Net: loss and gradients, and the bytes that its forward pass leaves to the backward pass."""
    torch.manual_seed(0)
    model = UNet(classes=3, width=8, levels=2).double().to(memory_format=LAST)
    recompute_blocks(model, kind)
    join_parts(model, join)
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
    for kind, most in (("norms", 0.75), ("block", saved_bytes("norms")[2] / kept)):
        found, others, less = saved_bytes(kind)
        assert found == loss and less < most * kept
        torch.testing.assert_close(others, gradients, rtol=0, atol=0)


@pytest.mark.parametrize("kind", ["", "norms", "block"])
def test_parts_apart_give_the_same_and_keep_less(kind):
    loss, gradients, kept = saved_bytes(kind)
    found, others, less = saved_bytes(kind, "split")
    assert found == pytest.approx(loss, rel=1e-12)
    torch.testing.assert_close(others, gradients, rtol=0, atol=1e-12)
    assert (less < kept) == (kind == "")  # where parts are joined again, nothing else kept the joined tensor


def joined_extents(monkeypatch, join):
    """Extents of everything that a small U-Net concatenates."""
    model, found, cat = UNet(classes=3, width=8, levels=2), [], torch.cat
    join_parts(model, join)
    with monkeypatch.context() as patch, torch.no_grad():
        patch.setattr(torch, "cat", lambda tensors, axis: found.append(len(tensors[0][0, 0])) or cat(tensors, 1))
        model(torch.zeros(1, 1, 8, 8, 8))
    return found


def test_auto_splits_what_is_too_large_to_index(monkeypatch):
    assert joined_extents(monkeypatch, "auto") == joined_extents(monkeypatch, "concat") == [4, 8]
    assert joined_extents(monkeypatch, "split") == []
    monkeypatch.setattr(blocks, "INDICES", 16 * 10**3)  # 8 + 8 channels of 8^3 voxels and a halo
    assert joined_extents(monkeypatch, "auto") == [4]
    monkeypatch.setattr(blocks, "INDICES", 16 * 10**3 + 1)
    assert joined_extents(monkeypatch, "auto") == [4, 8]


def test_a_box_of_256_is_too_large_and_half_of_one_is_not():
    for depth in (256, 128):
        box = torch.empty(1, 64, depth, 256, 256, device="meta")
        assert blocks.too_large((box, box)) == (depth == 256)


def test_the_setting_reaches_every_block():
    model = Task(load_problem("smoke"), Config(join="split")).build_model()
    assert {module.join for module in model.modules() if isinstance(module, blocks.Block)} == {"split"}
    names = [name for name, _ in UNet(6, 16, 3).named_parameters()]
    assert [name for name, _ in model.named_parameters()] == names
