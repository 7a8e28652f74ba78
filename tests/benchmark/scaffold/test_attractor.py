import numpy as np
import pytest

from benchmark import draw
from benchmark.scaffold import attractor
from benchmark.scaffold.category import instance_maps, load_categories

MAPS = instance_maps(load_categories(1)[0], 7)


def step_by_hand(parameters, point):
    """One map applied to one point, one float32 operation after another."""
    out = []
    for row in range(3):
        a, b, c = parameters[3 * row : 3 * row + 3]
        total = a * point[0]
        total = total + b * point[1]
        total = total + c * point[2]
        out.append(total + parameters[9 + row])
    return out


def test_wander_follows_the_bits_of_each_walker():
    walkers = draw.words(5, 6, count=4)
    before, last = attractor.wander(MAPS, walkers)
    for i, word in enumerate(int(w) for w in walkers):
        point, previous = [np.float32(0)] * 3, None
        for step in range(attractor.STEPS):
            point, previous = step_by_hand(MAPS[word >> step & 1], point), point
        assert [p.tobytes() for p in point] == [p.tobytes() for p in last[:, i]]
        assert [p.tobytes() for p in previous] == [p.tobytes() for p in before[:, i]]


@pytest.mark.parametrize("count", [4, 12, 24])
def test_counts_that_cannot_be(count):
    with pytest.raises(ValueError, match="power of two"):
        list(attractor.blocks(MAPS, draw.words(1, 2, count=4), count))
