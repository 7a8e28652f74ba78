"""What a run of ScaFFold is beside its network and its loss."""

import pytest
import torch
from torch import nn

from implementations.pytorch.scaffold.task import Config, Task

LAST = torch.channels_last_3d


@pytest.mark.parametrize("memory", [LAST, torch.contiguous_format])
def test_steps_are_plain_adams_in_any_memory_order(memory):
    """Weights are in channels-last memory. PyTorch's fused Adam reads gradients in the order of their weights, which is
    the order that autograd gives them."""
    torch.manual_seed(0)
    mine = nn.ParameterList([torch.randn(4, 3, 3, 3, 3).to(memory_format=LAST), torch.randn(5)])
    theirs = [nn.Parameter(p.detach().clone()) for p in mine]
    c = Config(learning_rate=0.1, beta_1=0.8, beta_2=0.9, epsilon=1e-3, weight_decay=0.01)
    plain = torch.optim.Adam(theirs, 0.1, (0.8, 0.9), 1e-3, weight_decay=0.01, foreach=False)
    optimizers = Task(None, c).build_optimizer(mine), plain
    for _ in range(4):
        for a, b in zip(mine, theirs, strict=True):
            b.grad = torch.randn_like(b)
            gradient = b.grad.contiguous(memory_format=memory) if b.dim() == 5 else b.grad
            a.grad = None
            a.backward(gradient)
            assert a.grad.stride() == a.stride()
        for optimizer in optimizers:
            optimizer.step()
    torch.testing.assert_close(list(mine), theirs, rtol=0, atol=1e-6)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(optimizers[0].state[a]["exp_avg"], plain.state[b]["exp_avg"], rtol=0, atol=1e-6)
