"""The convolution whose input may come in parts, against PyTorch's."""

import pytest
import torch
from torch.nn import functional as F

from implementations.pytorch.layers import conv

LAST = torch.channels_last_3d
SHAPES = [  # of x, with the padding that makes it a box of a split volume or a whole one
    ((1, 1, 1), (1, 2, 1)),
    ((0, 1, 1), (6, 3, 5)),
    ((0, 0, 0), (3, 3, 3)),
]


@pytest.mark.parametrize(("padding", "extents"), SHAPES)
def test_an_input_in_parts(padding, extents):
    torch.manual_seed(0)
    parts = [torch.randn(2, c, *extents, dtype=torch.float64, requires_grad=True) for c in (3, 1, 2)]
    weight = torch.randn(5, 6, 3, 3, 3, dtype=torch.float64).contiguous(memory_format=LAST).requires_grad_()
    bias = torch.randn(5, dtype=torch.float64, requires_grad=True)
    found, wanted = conv.conv3d(parts, weight, bias, padding), F.conv3d(torch.cat(parts, 1), weight, bias, 1, padding)
    dy = torch.randn_like(wanted)
    gradients, true = (torch.autograd.grad(y, [*parts, weight, bias], dy) for y in (found, wanted))
    torch.testing.assert_close((found, *gradients), (wanted, *true), rtol=0, atol=1e-12)
