import dataclasses

import numpy as np
import pytest

from benchmark.metric import Counts
from benchmark.problem import load_problem
from benchmark.scaffold import shortcut_box
from benchmark.scaffold.shortcut_box import SIDE, Boxes, Learner, box_dice, cut, gather, vote, widest_reach
from benchmark.scaffold.shortcut_parts import split_parts
from benchmark.scaffold.volume import make_sample


@pytest.fixture(autouse=True)
def few_features(monkeypatch):
    monkeypatch.setattr(shortcut_box, "FEATURES", 200)


def test_boxes_are_the_occupancy_around_each_voxel(tiny):
    volume, label = make_sample(tiny, 0)
    boxes = cut(1.0, tiny, volume, label)
    assert len(boxes.bits) == np.count_nonzero(label)
    assert np.array_equal(boxes.category, label[label > 0] - 1)
    padded = np.pad(label > 0, SIDE // 2)
    for side in (3, 9):
        (x, category), reach = next(boxes.blocks(side)), side // 2
        for number, (z, y, x0) in enumerate(np.argwhere(label)[:20]):
            at = [slice(c + SIDE // 2 - reach, c + SIDE // 2 + reach + 1) for c in (z, y, x0)]
            assert np.array_equal(x[number], padded[tuple(at)].reshape(-1))
        assert x.dtype == np.float32 and np.array_equal(category, boxes.category[: len(x)])


@pytest.mark.slow
def test_a_share_of_the_voxels(tiny):
    parts = split_parts(tiny, "train")
    occupied = sum(np.count_nonzero(make_sample(tiny, sample)[1]) for sample in range(4))
    half = gather(tiny, parts, occupied, occupied // 2, 1)
    assert 0.35 < len(half.bits) / occupied < 0.65
    assert np.array_equal(half.bits, gather(tiny, parts, occupied, occupied // 2, 2).bits)
    assert len(gather(tiny, parts, occupied, 10**6, 1).bits) == occupied


def made(voxels, far=False, seed=0):
    """Random boxes whose category is whether about half of the 3^3 box is occupied, which no linear rule tells. `far`:
    that box is filled anew afterwards, so that only the voxels outside tell."""
    x = np.random.default_rng(seed).random((voxels, SIDE, SIDE, SIDE)) < np.linspace(0, 1, voxels)[:, None, None, None]
    inner = x[:, 3:6, 3:6, 3:6].sum(axis=(1, 2, 3))
    if far:
        x[:, 3:6, 3:6, 3:6] = np.random.default_rng(seed + 9).random((voxels, 3, 3, 3)) < 0.5
    return Boxes(np.packbits(x.reshape(voxels, -1), axis=1), (abs(inner - 13.5) < 7).astype(np.uint8))


def test_it_learns_what_no_linear_rule_tells_inside_its_box_alone():
    assert box_dice(made(4000), made(1000, seed=1), 3, 2) > 0.95
    assert box_dice(made(4000, far=True), made(1000, True, seed=1), 3, 2) < 0.6


def test_voxels_vote_within_their_reach():
    """Two blocks of one category each, with a voxel that the learner mistakes in either."""
    label = np.zeros((12, 12, 12), np.uint8)
    label[1:3, 1:3, 1:3], label[8:10, 8:10, 8:10] = 1, 2

    class Mistaken(Learner):
        def outputs(self, boxes):
            said = np.eye(2, dtype=np.float32)[boxes.category]
            said[[0, 8]] = said[[0, 8], ::-1]  # the first voxel of each block
            return said

    learner = Mistaken(9, *(np.zeros(0),) * 4)
    problem = load_problem("smoke")
    problem = dataclasses.replace(problem, categories=2, instances=120)
    near, far = (counted for counted, _ in vote(learner, [0, 1], problem, label, label))
    assert near == Counts((0, 7, 7), (0, 8, 8), (0, 8, 8))
    assert far == Counts((0, 8, 8), (0, 8, 8), (0, 8, 8))


def test_the_widest_votes_are_over_most_of_a_cell():
    assert [2 * widest_reach(load_problem(name)) + 1 for name in ("smoke", "scale6", "scale7")] == [13, 27, 55]
