import pytest
import torch
from torch.nn import functional as F

from implementations.pytorch.scaffold.loss import SMOOTH, by_class, class_weights, loss_from_sums, loss_sums

CLASSES = 4


def textbook(logits, label, weight):
    """The loss with one-hot labels."""
    one_hot = F.one_hot(label.long(), CLASSES).movedim(-1, 1).to(logits.dtype)
    p = logits.softmax(1)
    space = (0, 2, 3, 4)
    overlap, sizes = (p * one_hot).sum(space), p.sum(space) + one_hot.sum(space)
    dice = (2 * overlap + SMOOTH) / (sizes + SMOOTH)
    return F.cross_entropy(logits, label.long(), weight) + 1 - dice[1:].mean()


@pytest.fixture
def batch():
    torch.manual_seed(2)
    logits = torch.randn(3, CLASSES, 4, 4, 4, dtype=torch.float64)
    label = torch.randint(0, CLASSES - 1, (3, 4, 4, 4), dtype=torch.uint8)  # the last class is absent
    return logits, label, class_weights(CLASSES, 0.2).double()


@pytest.mark.parametrize("memory", [torch.contiguous_format, torch.channels_last_3d])
def test_loss_and_gradient_are_the_textbooks(batch, memory):
    logits, label, weight = batch
    logits = logits.contiguous(memory_format=memory).requires_grad_()
    found, wanted = loss_from_sums(loss_sums(logits, label, weight)), textbook(logits, label, weight)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-12)
    gradients = [torch.autograd.grad(loss, logits)[0] for loss in (found, wanted)]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)


def test_bfloat16_logits_get_bfloat16_gradients(batch):
    logits, label, weight = batch
    logits = logits.bfloat16().requires_grad_()
    loss_from_sums(loss_sums(logits, label, weight.float())).backward()
    assert logits.grad.dtype == torch.bfloat16 and logits.grad.isfinite().all()


@pytest.mark.parametrize("shape", [(2, 16, 16, 16), (1, 3, 5, 7), (3, 8, 8, 8), (0, 4, 4, 4)])
def test_sums_by_class_are_exact(shape):
    torch.manual_seed(5)
    true = torch.randint(0, CLASSES, shape).view(shape[0], 1, shape[1] * shape[2] * shape[3])
    values = torch.randint(0, 2**20, true.shape).float()
    wanted = torch.bincount(true.flatten(), values.double().flatten(), minlength=CLASSES)
    assert torch.equal(by_class(true, values, CLASSES), wanted)
