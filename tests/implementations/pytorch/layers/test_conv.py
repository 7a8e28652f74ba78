"""The convolution whose weight gradient may be a matrix product a tap, against PyTorch's."""

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional as F

from implementations.pytorch.layers import conv
from implementations.pytorch.layers.blocks import recompute_blocks
from implementations.pytorch.measuring.peak import Flops
from implementations.pytorch.scaffold.model import UNet

LAST = torch.channels_last_3d
SHAPES = [  # of x, with the padding that makes it a box of a split volume or a whole one
    ((1, 1, 1), (4, 4, 4)),
    ((1, 1, 1), (1, 2, 1)),
    ((0, 1, 1), (6, 3, 5)),
    ((0, 0, 1), (3, 4, 2)),
    ((0, 0, 0), (3, 3, 3)),
]


@pytest.mark.parametrize("memory", [LAST, torch.contiguous_format])
@pytest.mark.parametrize(("padding", "extents"), SHAPES)
def test_gradients_are_those_of_the_library(padding, extents, memory):
    torch.manual_seed(0)
    x = torch.randn(2, 6, *extents, dtype=torch.float64).contiguous(memory_format=memory).requires_grad_()
    weight = torch.randn(5, 6, 3, 3, 3, dtype=torch.float64).contiguous(memory_format=memory).requires_grad_()
    found, wanted = conv.TapConv3d.apply(x, weight, padding), F.conv3d(x, weight, padding=padding)
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)
    dy = torch.randn_like(wanted)
    gradients, true = (torch.autograd.grad(y, [x, weight], dy) for y in (found, wanted))
    for a, b in zip(gradients, true, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_a_tap_reads_voxels_of_the_volume_alone():
    assert conv.overlap(0, 4, 4, 1) == (slice(0, 3), slice(1, 4))
    assert conv.overlap(1, 4, 4, 1) == (slice(0, 4), slice(0, 4))
    assert conv.overlap(2, 4, 4, 1) == (slice(1, 4), slice(0, 3))
    assert conv.overlap(2, 4, 6, 0) == (slice(2, 6), slice(0, 4))  # a halo around it


def test_the_input_has_a_gradient_only_where_it_is_asked_for():
    x, weight = torch.randn(1, 2, 2, 2, 2), torch.randn(3, 2, 3, 3, 3, requires_grad=True)
    with Flops() as flops:
        conv.TapConv3d.apply(x, weight, (1, 1, 1)).sum().backward()
    assert x.grad is None and weight.grad is not None
    assert flops.total == 2 * 2 * 27 * 2 * 3 * 8  # the forward pass, and one gradient


@pytest.mark.parametrize(("padding", "extents"), SHAPES)
def test_it_counts_as_many_flops_as_the_library(padding, extents):
    x, weight = torch.randn(1, 2, *extents, requires_grad=True), torch.randn(3, 2, 3, 3, 3, requires_grad=True)
    counts = []
    for function in (conv.TapConv3d.apply, lambda x, weight, padding: F.conv3d(x, weight, padding=padding)):
        with Flops() as flops:
            function(x, weight, padding).sum().backward()
        counts.append(flops.total)
    assert counts[0] == counts[1] > 0


def pays(n=1, channels=256, side=8, dtype=torch.bfloat16, padding=(1, 1, 1), device="cpu"):
    x = torch.empty(n, channels, side, side, side, dtype=dtype, device=device)
    return conv.taps_pay(x, torch.empty(256, channels, 3, 3, 3, device=device), padding)


def test_where_taps_pay():
    assert pays() and pays(n=4) and pays(side=4)
    assert pays(side=10, padding=(0, 0, 0)) and not pays(side=10)  # voxels of the result count
    assert not pays(channels=128)
    assert not pays(dtype=torch.float32)
    assert not pays(device="meta")
    with FakeTensorMode():
        assert not pays()


def test_under_autocast_weights_keep_their_type():
    torch.manual_seed(0)
    layer = conv.Conv3d(256, 256, 3, padding=1, bias=False).to(memory_format=LAST)
    plain = nn.Conv3d(256, 256, 3, padding=1, bias=False)
    plain.weight = nn.Parameter(layer.weight.detach().clone(memory_format=torch.preserve_format))
    x, dy = (torch.randn(2, 256, 4, 4, 4).bfloat16().contiguous(memory_format=LAST) for _ in range(2))
    results = []
    for module in (layer, plain):
        operand = x.clone(memory_format=torch.preserve_format).requires_grad_()
        with torch.autocast("cpu", torch.bfloat16):
            y = module(operand)
        y.backward(dy)
        results.append((y, operand.grad, module.weight.grad))
    assert "TapConv3d" in y_name(layer, x) and "TapConv3d" not in y_name(plain, x)
    (y, d_x, d_weight), (y_true, d_x_true, d_weight_true) = results
    assert d_weight.dtype == torch.float32 and d_weight.is_contiguous(memory_format=LAST)
    torch.testing.assert_close(y, y_true, rtol=0, atol=0)
    torch.testing.assert_close(d_x, d_x_true, rtol=0, atol=0)
    assert (d_weight - d_weight_true).norm() < 2**-8 * d_weight_true.norm()


def y_name(module, x):
    """The name of the autograd node that a layer leaves."""
    with torch.autocast("cpu", torch.bfloat16):
        return module(x).grad_fn.name()


@pytest.mark.parametrize(("padding", "extents"), SHAPES)
@pytest.mark.parametrize("taps", [False, True])
def test_an_input_in_parts(padding, extents, taps, monkeypatch):
    monkeypatch.setattr(conv, "taps_pay", lambda *_: taps)
    torch.manual_seed(0)
    parts = [torch.randn(2, c, *extents, dtype=torch.float64, requires_grad=True) for c in (3, 1, 2)]
    weight = torch.randn(5, 6, 3, 3, 3, dtype=torch.float64).contiguous(memory_format=LAST).requires_grad_()
    bias = torch.randn(5, dtype=torch.float64, requires_grad=True)
    found, wanted = conv.conv3d(parts, weight, bias, padding), F.conv3d(torch.cat(parts, 1), weight, bias, 1, padding)
    dy = torch.randn_like(wanted)
    gradients, true = (torch.autograd.grad(y, [*parts, weight, bias], dy) for y in (found, wanted))
    for a, b in zip((found, *gradients), (wanted, *true), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_a_network_has_the_same_gradients_however_blocks_recompute(monkeypatch):
    gradients = []
    for pay in (False, True):
        monkeypatch.setattr(conv, "taps_pay", lambda *_, pay=pay: pay)
        for kind in ("", "norms", "block"):
            torch.manual_seed(0)
            model = UNet(classes=3, width=8, levels=2).double().to(memory_format=LAST)
            recompute_blocks(model, kind)
            model(torch.linspace(-1, 1, 512, dtype=torch.float64).view(1, 1, 8, 8, 8)).square().mean().backward()
            gradients.append([p.grad for p in model.parameters()])
    for found in gradients[1:]:
        for a, b in zip(found, gradients[0], strict=True):
            torch.testing.assert_close(a, b, rtol=0, atol=1e-12)
