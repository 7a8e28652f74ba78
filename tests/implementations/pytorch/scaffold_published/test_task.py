"""ScaFFold as published: network, rate, loss and score."""

import numpy as np
import pytest
import torch
from torch import nn

from benchmark.dice_by_sample import sample_dice
from benchmark.problem import load_problem
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold_published.task import Config, Task
from tests.support.published import write_dataset

ALONE = Layout(1)


def task(problem="published4", **settings) -> Task:
    return Task(load_problem(problem), Config(device="cpu", precision="float32", **settings))


@pytest.mark.parametrize(("epochs", "share"), [(0, 1), (50, 0.5), (99.999, 0), (100, 1), (150, 0.5), (225, 0.853553)])
def test_the_cosine_starts_again(epochs, share):
    assert task(learning_rate=1e-3).learning_rate(epochs) == pytest.approx(share * 1e-3, abs=1e-8)


class Known(nn.Module):
    """A network whose prediction is what the first channel says."""

    def forward(self, colours):
        return nn.functional.one_hot(colours[:, 0].long(), 6).movedim(-1, 1).float()


def batches(samples, size):
    """Samples (prediction, truth), in batches of colours and classes."""
    for at in range(0, len(samples), size):
        predicted, true = (np.stack(part) for part in zip(*samples[at : at + size], strict=True))
        colours = np.zeros((len(true), 3, *true.shape[1:]), np.float32)
        colours[:, 0] = predicted
        yield torch.from_numpy(colours), torch.from_numpy(true.astype(np.uint8))


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_score_is_the_mean_of_each_samples_dice(size):
    draw = np.random.default_rng(1)
    samples = [tuple(draw.integers(0, 1 + most, (2, 4, 4, 4))) for most in (5, 0, 2, 5, 4)]
    samples[1][0][0, 0, 0] = 3  # one false voxel of an absent class
    found = task().evaluate(Known(), batches(samples, size), ALONE)
    each = []
    for predicted, true in samples:
        found_true = [(predicted == c, true == c) for c in range(1, 6)]
        each.append(sample_dice([[int(n) for n in ((p & t).sum(), p.sum(), t.sum())] for p, t in found_true]))
    assert each[1] == [1, 1, 0, 1, 1]
    assert found.value == pytest.approx(np.mean(each), rel=1e-15)
    assert found.facts["sums"] == pytest.approx(np.sum(each, 0), rel=1e-15)
    numbers = [n for sample in found.facts["counts"] for row in sample for n in row]
    assert len(numbers) == 5 * 5 * 3 and all(type(n) is int for n in numbers)
    assert found == task().evaluate(Known(), batches(samples[::-1], size), ALONE)


def test_class_weights_are_estimated_from_training_masks(tmp_path):
    made = task()
    write_dataset(tmp_path, made.problem)
    assert made.weight.tolist() == [1.0] * 6
    made.prepare(tmp_path, ALONE)
    assert made.weight.mean().item() == pytest.approx(1, rel=1e-6)
    assert made.weight[0] < made.weight[1:].min() / 50
