import torch

from benchmark.problem import load_problem
from implementations.pytorch.layers.norm import LAST, NormReLU
from implementations.pytorch.scaffold.model import build_model


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
