import copy

import pytest
import torch
from torch import nn

from implementations.pytorch.deepcam.norm import RankBatchNorm, group_norms
from implementations.pytorch.parallel.layout import Layout


def pair(group_path, dtype=torch.float64):
    """PyTorch's batch norm and ours with the same numbers; ours by its own passes if so wanted."""
    torch.manual_seed(1)
    theirs = nn.BatchNorm2d(5).to(dtype)
    nn.init.normal_(theirs.weight)
    nn.init.normal_(theirs.bias)
    ours = RankBatchNorm(copy.deepcopy(theirs), None)
    if group_path:
        ours.group = False  # not None: our passes, without an all-reduce
    return theirs, ours


@pytest.fixture
def alone(monkeypatch):
    monkeypatch.setattr("implementations.pytorch.deepcam.norm.add", lambda sums, group: None)


@pytest.mark.parametrize("group_path", [False, True])
def test_is_batch_norm_with_its_gradients_and_statistics(group_path, alone):
    theirs, ours = pair(group_path)
    for _ in range(3):
        x = torch.randn(4, 5, 6, 7, dtype=torch.float64) * 3 + 100
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        y, wanted = ours(a), theirs(b)
        torch.testing.assert_close(y, wanted, rtol=1e-9, atol=1e-9)
        dy = torch.randn_like(y)
        grads = torch.autograd.grad(y, [a, ours.weight, ours.bias], dy)
        for g, w in zip(grads, torch.autograd.grad(wanted, [b, theirs.weight, theirs.bias], dy), strict=True):
            torch.testing.assert_close(g, w, rtol=1e-7, atol=1e-9)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(ours.running_var, theirs.running_var, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_keeps_the_type_of_its_input(dtype, alone):
    theirs, ours = pair(True, torch.float32)
    x = torch.randn(2, 5, 4, 4).to(dtype)
    y = ours(x)
    assert y.dtype == dtype
    torch.testing.assert_close(y.float(), theirs(x.float()), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("group_path", [False, True])
def test_no_sample_changes_no_statistics_and_has_zero_gradients(group_path, alone):
    _, ours = pair(group_path)
    before = {name: b.clone() for name, b in ours.named_buffers()}
    y = ours(torch.zeros(0, 5, 3, 3, dtype=torch.float64))
    y.sum().backward()
    assert y.shape == (0, 5, 3, 3)
    assert (ours.weight.grad == 0).all() and (ours.bias.grad == 0).all()
    assert all((b == before[name]).all() for name, b in ours.named_buffers())


def test_tensors_keep_their_names_and_all_norms_are_replaced():
    model = nn.Sequential(nn.Conv2d(3, 5, 1), nn.Sequential(nn.BatchNorm2d(5), nn.ReLU()))
    names = list(model.state_dict())
    group_norms(model, Layout(2), 1, 60.0)
    assert isinstance(model[1][0], RankBatchNorm)
    assert list(model.state_dict()) == names  # so a checkpoint of one rank is one of several, too


def test_groups_must_be_filled():
    with pytest.raises(ValueError, match="batchnorm_group_size: found 2, wanted a divisor of the 3 ranks"):
        group_norms(nn.Sequential(), Layout(3), 2, 60.0)
