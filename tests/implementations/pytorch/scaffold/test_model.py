"""Layers of the U-Net; those that are matrix products, against the convolutions that they are."""

import pytest
import torch
from torch.nn import functional as F

from benchmark.problem import load_problem
from implementations.pytorch.layers.norm import LAST, NormReLU
from implementations.pytorch.scaffold.model import Head, UpConv, build_model


def test_built_as_the_problem_says_in_channels_last_memory():
    problem = load_problem("smoke")
    model = build_model(problem)
    assert len(model.down) == problem.levels
    assert all(p.is_contiguous(memory_format=LAST) for p in model.parameters() if p.dim() == 5)


def test_norm_keeps_bfloat16_and_has_float32_gradients():
    norm = NormReLU(8, 8)
    x = torch.randn(1, 8, 4, 4, 4, dtype=torch.bfloat16).requires_grad_()
    y = norm(x)
    y.sum().backward()
    assert (y.dtype, x.grad.dtype, norm.weight.grad.dtype) == (torch.bfloat16, torch.bfloat16, torch.float32)


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
