import math
from functools import partial

import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler

from implementations.pytorch.deepcam.lamb import LAMB
from implementations.pytorch.deepcam.schedule import Schedule


def by_hand(p, gradients, lr, b1, b2, eps, decay, most):
    """LAMB as its paper writes it, a number at a time, on lists of lists; gradients by step."""
    m, v = ([[0.0] * len(t) for t in p] for _ in range(2))
    for step, g in enumerate(gradients, 1):
        norm = math.sqrt(sum(x * x for t in g for x in t))
        g = [[x / max(1.0, norm / most) for x in t] for t in g]
        for i, tensor in enumerate(p):
            m[i] = [b1 * a + (1 - b1) * x for a, x in zip(m[i], g[i], strict=True)]
            v[i] = [b2 * a + (1 - b2) * x * x for a, x in zip(v[i], g[i], strict=True)]
            u = []
            for a, b, x in zip(m[i], v[i], tensor, strict=True):
                u.append(a / (1 - b1**step) / (math.sqrt(b / (1 - b2**step)) + eps) + decay * x)
            size, change = (math.sqrt(sum(x * x for x in t)) for t in (tensor, u))
            ratio = size / change if decay and size and change else 1.0
            p[i] = [x - lr * ratio * y for x, y in zip(tensor, u, strict=True)]
    return p


@pytest.mark.parametrize("decay", [0.0, 0.01])
def test_lamb_follows_its_formula(decay):
    torch.manual_seed(3)
    tensors = [torch.randn(7), torch.randn(4), torch.zeros(3)]
    gradients = [[torch.randn_like(t) * size for t in tensors] for size in (0.1, 3.0, 0.5, 20.0, 0.01)]
    params = [nn.Parameter(t.double()) for t in tensors]
    optimizer = LAMB(params, lr=0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=decay, max_grad_norm=1.0)
    for step in gradients:
        for p, g in zip(params, step, strict=True):
            p.grad = g.double()
        optimizer.step()
    lists = [[t.double().tolist() for t in step] for step in gradients]
    wanted = by_hand([t.double().tolist() for t in tensors], lists, 0.05, 0.8, 0.95, 1e-6, decay, 1.0)
    for p, t in zip(params, wanted, strict=True):
        torch.testing.assert_close(p.data, torch.tensor(t, dtype=torch.float64), rtol=1e-12, atol=1e-12)


def test_lamb_leaves_alone_what_has_no_gradient_or_a_zero_one():
    still, zero = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
    optimizer = LAMB([still, zero], lr=0.1, weight_decay=0.0)
    zero.grad = torch.zeros(3)
    optimizer.step()
    assert still.tolist() == zero.tolist() == [1.0] * 3


MULTISTEP = Schedule("multistep", 0.1, milestones=(3, 7), decay=0.5)
COSINE = Schedule("cosine_annealing", 0.1, length=6, end=0.01)


@pytest.mark.parametrize(
    ("schedule", "theirs"),
    [
        (MULTISTEP, partial(lr_scheduler.MultiStepLR, milestones=[3, 7], gamma=0.5)),
        (COSINE, partial(lr_scheduler.CosineAnnealingLR, T_max=6, eta_min=0.01)),  # it goes up again, too
    ],
)
def test_a_schedule_without_warm_up_is_pytorchs(schedule, theirs):
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    pytorchs = theirs(optimizer)
    for step in range(15):
        assert schedule(step) == pytest.approx(optimizer.param_groups[0]["lr"], rel=1e-12)
        optimizer.step()
        pytorchs.step()
