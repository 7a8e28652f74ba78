"""Layers of the U-Net that are matrix products, against the convolutions that they are."""

import pytest
import torch
from torch.nn import functional as F

from implementations.pytorch.scaffold.model import Head, UpConv


@pytest.mark.parametrize("memory", [torch.channels_last_3d, torch.contiguous_format])
def test_rise_is_a_transposed_convolution(memory):
    torch.manual_seed(0)
    rise = UpConv(6, 4, 2, stride=2).double().to(memory_format=memory)
    x = torch.randn(2, 6, 2, 3, 5, dtype=torch.float64).contiguous(memory_format=memory).requires_grad_()
    wanted = F.conv_transpose3d(x, rise.weight, rise.bias, stride=2)
    compare(rise(x), wanted, [x, rise.weight, rise.bias])


def test_head_is_a_convolution():
    torch.manual_seed(0)
    head = Head(6, 4, 1).double()
    x = torch.randn(2, 6, 2, 3, 5, dtype=torch.float64).requires_grad_()
    compare(head(x), F.conv3d(x, head.weight, head.bias), [x, head.weight, head.bias])


def compare(found, wanted, inputs):
    dy = torch.randn_like(wanted)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-12)
    gradients = [torch.autograd.grad(y, inputs, dy) for y in (found, wanted)]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)
