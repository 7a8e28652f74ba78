"""The textbook version that perf/unet.py measures against is the same network with the same loss."""

import pytest
import torch

from implementations.pytorch.scaffold.loss import class_weights, loss_from_sums, loss_sums
from implementations.pytorch.scaffold.model import UNet
from perf import unet
from perf.unet import Setting, Textbook, distance, step_flops, textbook_loss


@pytest.fixture
def networks():
    torch.manual_seed(0)
    mine, book = (make(3, 8, 2).double() for make in (UNet, Textbook))
    for a, b in zip(book.parameters(), mine.parameters(), strict=True):
        a.data.copy_(b.data)
    return mine, book


def gradients(model, loss):
    return torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(model.parameters()))])


def test_loss_and_gradients_agree(networks):
    mine, book = networks
    x, label = torch.randn(2, 1, 8, 8, 8, dtype=torch.float64), torch.randint(0, 3, (2, 8, 8, 8), dtype=torch.uint8)
    weight = class_weights(3, 0.1).double()
    losses = loss_from_sums(loss_sums(mine(x), label, weight)), textbook_loss(book(x), label, weight)
    assert (losses[0] - losses[1]).item() == pytest.approx(0, abs=1e-7)  # one-hot tensors are float32
    found, true = (gradients(model, loss) for model, loss in zip(networks, losses, strict=True))
    assert distance(found, true) < 1e-6
    assert distance(2 * found, true) > 0.9


def test_flops_of_a_step_are_those_of_the_convolutions():
    full = 2 * 16**3 * 27 * 64  # a convolution from 1 to 64 channels
    flops = step_flops(Setting(4, "float32", 1, "cpu"))
    assert flops > 3 * full * (1 + 64 + 128 + 64)  # of the full resolution alone
    assert flops < 3 * full * (1 + 64 + 128 + 64) * 2.2


@pytest.mark.parametrize(("device", "has", "wanted"), [("cpu", False, 1), ("cpu", True, 2), ("cuda", False, 2)])
def test_no_precision_is_emulated_by_default(monkeypatch, device, has, wanted):
    monkeypatch.setattr(unet, "cpu_has_bfloat16", lambda: has)
    assert unet.precisions(device) == ("float32", "bfloat16")[:wanted]
