import numpy as np

from benchmark.scaffold.shortcut_parts import split_parts
from benchmark.scaffold.shortcut_shape import DESCRIPTIONS, GRID, find, moments, shape_dice, spread
from benchmark.scaffold.shortcut_tables import histogram
from benchmark.scaffold.volume import fractals, make_sample


def test_a_full_cube_is_spread_evenly_wherever_it_is():
    occupied = np.zeros((16, 16, 16), bool)
    occupied[3:11, 5:13, 1:9] = True
    assert np.allclose(spread(occupied), np.full(GRID**3, GRID**-1.5))
    flat = np.zeros((16, 16, 16), bool)
    flat[4, 2:10, 2:10] = True
    found = spread(flat).reshape((GRID,) * 3) ** 2  # the box around it is a cube
    assert np.isclose(found.sum(), 1) and np.count_nonzero(found.sum(axis=(1, 2))) == 1


def test_moments_are_of_the_shape_alone():
    """Those of a rod do not depend on its place, nor on its size but for the voxels' own."""
    rod = np.zeros((16, 16, 16), bool)
    rod[2, 2:12, 3] = True
    assert np.allclose(moments(rod), [0, 0, 0, (10**2 - 1) / 12 / 10**2, 0, 0])
    assert np.allclose(moments(np.roll(rod, (3, 2, 5), (0, 1, 2))), moments(rod))
    turned = moments(np.swapaxes(rod, 1, 2))
    assert turned[5] == moments(rod)[3] and turned[3] == 0
    diagonal = np.zeros((8, 8, 8), bool)
    diagonal[range(4), range(4), 5] = True
    assert np.allclose(moments(diagonal), np.array([1, 1, 0, 1, 0, 0]) * 1.25 / 16)


def test_each_fractal_is_found_in_its_cell(tiny):
    volume, label = make_sample(tiny, 0)
    found, seconds = find(np.arange(256) >= 100, tiny, volume, label)
    placed = sorted(fractals(tiny, 0), key=lambda fractal: fractal.cell)
    assert len(found) == len(placed) and set(seconds) == set(DESCRIPTIONS) and min(seconds.values()) >= 0
    for one, fractal in zip(found, placed, strict=True):
        assert one.classes.argmax() == fractal.category + 1
        assert one.classes.sum() == one.classes.max()


def test_fractals_that_were_trained_on_are_all_known(tiny):
    samples = [make_sample(tiny, sample) for sample in range(4)]
    counts = sum(histogram(volume, label, 256, 3) for volume, label in samples)
    train = split_parts(tiny, "train")
    found = shape_dice(counts, counts.sum(axis=0), tiny, train, train, 1)
    assert found.keys() == DESCRIPTIONS.keys() and [value for value, _ in found.values()] == [1.0, 1.0]
    counts = np.tile([9, 1, 1], (256, 1))  # nothing seems occupied
    assert shape_dice(counts, counts.sum(axis=0), tiny, train, train, 1)["nearest"] == (0.0, 0.0)
