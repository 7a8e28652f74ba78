import itertools
import math

import pytest
import torch
from torch.nn import functional as F

from benchmark.deepcam.problem import CLASSES
from implementations.pytorch.deepcam import loss
from implementations.pytorch.parallel.layout import Layout

ONE = Layout(1)


def test_weights_are_published_frequencies_to_the_minus_eighth():
    rounded = dict(zip(CLASSES, loss.FREQUENCIES, strict=True))
    assert rounded == pytest.approx({"background": 0.98627, "cyclone": 0.00045787, "river": 0.013274}, rel=1e-4)
    assert pytest.approx((1.00173, 2.61461, 1.71641), rel=1e-5) == loss.WEIGHTS


def test_loss_is_the_mean_weighted_cross_entropy_of_pixels():
    torch.manual_seed(1)
    logits, label = torch.randn(2, 3, 4, 5), torch.randint(3, (2, 4, 5), dtype=torch.uint8)
    weight = torch.tensor(loss.WEIGHTS)
    wanted = -sum(
        weight[c] * F.log_softmax(logits[n, :, y, x], 0)[c]
        for n in range(2) for y in range(4) for x in range(5) for c in [label[n, y, x].long()]
    ) / 40  # fmt: skip
    found = loss.loss_from_sums(loss.loss_sums(logits, label, weight))
    assert found.item() == pytest.approx(wanted.item(), rel=1e-6)


def test_input_is_scaled_by_range_and_channels_come_first():
    least, greatest = torch.arange(16.0), torch.arange(16.0) + torch.arange(1, 17)
    data = torch.stack([least, greatest, (least + greatest) / 2]).reshape(1, 1, 3, 16)
    found = loss.to_input(data, torch.stack([least, greatest])[None])
    assert found.shape == (1, 16, 1, 3)
    assert found[0, :, 0].tolist() == [[0.0, 1.0, 0.5]] * 16


def test_blank_samples_become_zeros():
    assert (loss.to_input(torch.zeros(2, 3, 4, 16), torch.zeros(2, 2, 16)) == 0).all()


def logits_of(found):
    return F.one_hot(torch.tensor(found), 3).permute(0, 3, 1, 2).float()


def test_overlap_by_sample_and_class():
    label = torch.tensor([[[0, 0, 1, 2]], [[0, 0, 0, 0]], [[0, 0, 0, 1]]], dtype=torch.uint8)
    found = [[[0, 1, 1, 2]], [[0, 0, 0, 0]], [[2, 0, 0, 0]]]
    overlaps = loss.overlaps(logits_of(found), label)
    assert overlaps == [[1 / 2, 1 / 2, 1.0], [1.0, 1.0, 1.0], [2 / 4, 0.0, 0.0]]


def test_iou_is_the_mean_over_samples_whatever_the_batch():
    torch.manual_seed(3)
    logits, label = torch.randn(7, 3, 6, 8), torch.randint(3, (7, 6, 8), dtype=torch.uint8)
    label[0] = 0
    whole = loss.mean_overlap(loss.overlaps(logits, label), ONE)
    for cuts in ([0, 1, 7], [0, 3, 3, 6, 7], list(range(8))):
        parts = [loss.overlaps(logits[a:b], label[a:b]) for a, b in itertools.pairwise(cuts)]
        assert loss.mean_overlap([v for part in reversed(parts) for v in part], ONE) == whole
    score, sums = whole
    assert score == sum(sums) / (3 * 7)
    by_sample = [sum(v) / 3 for v in loss.overlaps(logits, label)]
    assert score == pytest.approx(math.fsum(by_sample) / 7, rel=1e-14)
    counts = torch.bincount(label.flatten().long() * 3 + logits.argmax(1).flatten(), minlength=9).view(3, 3)
    pooled = (counts.diagonal() / (counts.sum(0) + counts.sum(1) - counts.diagonal())).mean().item()
    assert abs(score - pooled) > 1e-3  # the overlap of all samples together is another number
