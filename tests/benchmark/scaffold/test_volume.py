import dataclasses
from collections import Counter

import numpy as np
import pytest

from benchmark.fingerprint import add, to_hex
from benchmark.problem import SPLITS, load_problem
from benchmark.scaffold.held_out import held_out
from benchmark.scaffold.problem import Intensity
from benchmark.scaffold.volume import background, fractals, instances, make_sample, make_slabs
from benchmark.scaffold.writing import brick_digests


@pytest.fixture
def crowded(tiny):
    """24 fractals a volume, in 64 cells: each instance is used four times."""
    return dataclasses.replace(tiny, scale=5, fractals=24, instances=18)


def test_known_samples(tiny):
    """Guards all arithmetic from the categories' parameters to the voxels."""
    digest = add(*brick_digests("train", 3, (0, 0, 0), *make_sample(tiny, 3), tiny.brick))
    assert to_hex(digest) == "3a00907b1c51e9144fa5d5e83ddee87498433f36affc1797727d05629fcedea3"
    digest = add(*brick_digests("validation", 4, (0, 0, 0), *make_sample(held_out(tiny, 5), 4), tiny.brick))
    assert to_hex(digest) == "8a57d4bdc633ab6b5d57a8ab6a2d87d0ecab5cff004e9c23c6175160d11593bb"


def used(problem, split):
    """How often a split uses each instance."""
    return Counter(i for sample in problem.split_samples(split) for i in instances(problem, sample))


def test_every_instance_is_of_one_split_and_used_equally_often(crowded):
    smoke = load_problem("smoke")
    train, validation = (used(smoke, split) for split in SPLITS)
    assert set(train.values()) == set(validation.values()) == {2}
    assert (len(train), len(validation)) == (504, 216)
    assert set(train) | set(validation) == {(c, v) for c in range(5) for v in range(1, 145)}
    train, validation = (used(crowded, split) for split in SPLITS)
    assert (len(train), len(validation)) == (24, 12)
    assert set(train.values()) == set(validation.values()) == {4}
    assert not set(train) & set(validation)
    first = [instances(crowded, sample) for sample in range(4)]
    assert sorted(first[0]) == sorted(first[1]) and first[0] != first[1]  # dealt anew


def test_held_out_instances_are_in_no_other_dataset():
    """Each lies between two steps of a factor, at least 0.03 from either."""
    smoke = load_problem("smoke")
    fresh = held_out(smoke, 5)
    validation = used(fresh, "validation")
    assert set(validation.values()) == {1}
    steps = Counter()
    for number, variant in validation:
        parameter, factor = divmod(variant - 145, 1201)
        assert 30 <= factor % 100 <= 70
        steps[number, parameter, factor // 100] += 1
    assert steps == Counter({(c, p, step): 1 for c in range(5) for p in range(12) for step in range(12)})
    assert set(validation) != set(used(held_out(smoke, 6), "validation"))


def test_held_out_data_have_each_instance_equally_often():
    fresh = held_out(load_problem("scale9"), 5)
    assert len(fresh.split_samples("validation")) == 75
    assert set(used(fresh, "validation").values()) == {5}


@pytest.mark.parametrize("name", ["tiny", "crowded"])
def test_fractals_lie_in_cells_of_their_own_and_inside_them(name, request):
    problem = request.getfixturevalue(name)
    for sample in range(problem.samples):
        placed = fractals(problem, sample)
        assert len({f.cell for f in placed}) == len(placed) == problem.fractals
        for fractal in placed:
            assert min(fractal.cell) >= 0 and max(fractal.cell) < problem.side // problem.cell
            least, most = (problem.cell * size // 256 for size in problem.size)
            assert least <= fractal.size <= most
            assert min(fractal.origin) >= 0 and max(fractal.origin) + fractal.size <= problem.cell


def test_intensities_carry_no_category():
    """Where occupied voxels are, and how bright, depends on which are occupied, not on whose they are."""
    problem = load_problem("smoke")
    samples = [make_sample(problem, sample) for sample in range(20)]
    values = [np.concatenate([v[label == c] for v, label in samples]).astype(float) for c in range(1, problem.classes)]
    low, high = problem.intensity.foreground
    for found in values:
        error = (high - low) / np.sqrt(12 * len(found))
        assert abs(found.mean() - (low + high) / 2) < 5 * error
        assert found.std() == pytest.approx((high - low) / np.sqrt(12), rel=0.05)


def test_slabs_make_the_sample(tiny):
    """Two layers of cells, of two slabs each."""
    thin = dataclasses.replace(tiny, brick=4)
    slabs = [(first, v.copy(), part.copy()) for first, v, part in make_slabs(thin, 2)]  # one array holds all labels
    assert [first for first, _, _ in slabs] == [0, 4, 8, 12]
    assert all(part.shape == (4, 16, 16) for _, *parts in slabs for part in parts)
    volume, label = make_sample(thin, 2)
    assert np.array_equal(np.concatenate([v for _, v, _ in slabs]), volume)
    assert np.array_equal(np.concatenate([part for *_, part in slabs]), label)
    assert np.array_equal(label, make_sample(tiny, 2)[1])  # the slabs' depth decides on intensities alone


@pytest.mark.parametrize("most", [0, 1, 3, 7, 15])
def test_background_is_uniform(most):
    raw = np.random.default_rng(0).integers(0, 2**64, 20_000, np.uint64)
    found = np.bincount(background(raw, Intensity(most, (100, 200))), minlength=16)
    assert found.sum() == 320_000 and not found[most + 1 :].any()
    assert np.abs(found[: most + 1] / 320_000 * (most + 1) - 1).max() < 0.05
