"""The convolution whose input may come in parts, against PyTorch's."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from implementations.pytorch.layers import conv

LAST = torch.channels_last_3d
SHAPES = [  # of x, with the padding that makes it a box of a split volume or a whole one
    ((1, 1, 1), (4, 4, 4)),
    ((1, 1, 1), (1, 2, 1)),
    ((0, 1, 1), (6, 3, 5)),
    ((0, 0, 1), (3, 4, 2)),
    ((0, 0, 0), (3, 3, 3)),
]


def test_under_autocast_weights_keep_their_type():
    """In one part the layer is PyTorch's, whatever the precision."""
    torch.manual_seed(0)
    layer = conv.Conv3d(64, 64, 3, padding=1, bias=False).to(memory_format=LAST)
    plain = nn.Conv3d(64, 64, 3, padding=1, bias=False)
    plain.weight = nn.Parameter(layer.weight.detach().clone(memory_format=torch.preserve_format))
    x, dy = (torch.randn(2, 64, 4, 4, 4).bfloat16().contiguous(memory_format=LAST) for _ in range(2))
    results = []
    for module in (layer, plain):
        operand = x.clone(memory_format=torch.preserve_format).requires_grad_()
        with torch.autocast("cpu", torch.bfloat16):
            y = module(operand)
        y.backward(dy)
        results.append((y, operand.grad, module.weight.grad))
    (_, _, d_weight), _ = results
    assert d_weight.dtype == torch.float32 and d_weight.is_contiguous(memory_format=LAST)
    for found, wanted in zip(*results, strict=True):
        torch.testing.assert_close(found, wanted, rtol=0, atol=0)


@pytest.mark.parametrize(("padding", "extents"), SHAPES)
def test_an_input_in_parts(padding, extents):
    torch.manual_seed(0)
    parts = [torch.randn(2, c, *extents, dtype=torch.float64, requires_grad=True) for c in (3, 1, 2)]
    weight = torch.randn(5, 6, 3, 3, 3, dtype=torch.float64).contiguous(memory_format=LAST).requires_grad_()
    bias = torch.randn(5, dtype=torch.float64, requires_grad=True)
    found, wanted = conv.conv3d(parts, weight, bias, padding), F.conv3d(torch.cat(parts, 1), weight, bias, 1, padding)
    dy = torch.randn_like(wanted)
    gradients, true = (torch.autograd.grad(y, [*parts, weight, bias], dy) for y in (found, wanted))
    for a, b in zip((found, *gradients), (wanted, *true), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)
