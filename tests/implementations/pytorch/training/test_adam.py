"""Adam on channels-last weights, against PyTorch's plain one."""

import pytest
import torch
from torch import nn

from implementations.pytorch.training.adam import DenseAdam

LAST = torch.channels_last_3d


@pytest.mark.parametrize("memory", [LAST, torch.contiguous_format])
def test_steps_are_those_of_plain_adam_whatever_the_memory_order_of_gradients(memory):
    torch.manual_seed(0)
    mine = [nn.Parameter(torch.randn(4, 3, 3, 3, 3).to(memory_format=LAST)), nn.Parameter(torch.randn(5))]
    theirs = [nn.Parameter(p.detach().clone()) for p in mine]
    optimizers = DenseAdam(mine, lr=0.1, fused=True), torch.optim.Adam(theirs, lr=0.1, foreach=False)
    for _ in range(4):
        for a, b in zip(mine, theirs, strict=True):
            b.grad = torch.randn_like(b)
            a.grad = b.grad.contiguous(memory_format=memory) if b.dim() == 5 else b.grad.clone()
        for optimizer in optimizers:
            optimizer.step()
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


def test_state_has_the_shapes_of_the_weights_and_loads_into_plain_adam():
    weight = nn.Parameter(torch.randn(4, 3, 3, 3, 3).to(memory_format=LAST))
    mine, plain = DenseAdam([weight], fused=True), torch.optim.Adam([weight])
    weight.grad = torch.randn_like(weight)
    mine.step()
    assert mine.state[weight]["exp_avg"].shape == weight.shape
    plain.load_state_dict(mine.state_dict())
    assert plain.state[weight]["exp_avg"].equal(mine.state[weight]["exp_avg"])
