import dataclasses
from collections import Counter

import numpy as np
import pytest

from benchmark.fingerprint import add, brick_digests, to_hex
from benchmark.problem import load_problem
from benchmark.scaffold.problem import Intensity
from benchmark.scaffold.volume import assignment, fractals, make_sample, noise, occupancy


def test_known_sample(tiny):
    """Guards all arithmetic from the categories' parameters to the voxels."""
    volume, label = make_sample(tiny, 3)
    assert to_hex(add(*brick_digests("train", 3, (0, 0, 0), volume, label, tiny.brick))) == KNOWN


def test_every_instance_is_used_once(tiny):
    used = Counter(assignment(tiny))
    assert len(used) == tiny.samples * tiny.fractals and set(used.values()) == {1}
    smoke = Counter(assignment(load_problem("smoke")))
    assert smoke == Counter((c, v) for c in range(5) for v in range(1, 145))


@pytest.mark.parametrize("sample", range(6))
def test_fractals_stay_in_their_box(tiny, sample):
    grid = occupancy(tiny, sample)
    for index, fractal in enumerate(fractals(tiny, sample)):
        z, y, x = fractal.origin
        inside = grid[z : z + fractal.size, y : y + fractal.size, x : x + fractal.size] == index + 1
        assert inside.any() and inside.sum() == (grid == index + 1).sum()
        assert min(fractal.origin) >= 0 and max(fractal.origin) + fractal.size <= tiny.side


def test_labels_and_intensities_follow_occupancy(tiny):
    volume, label = make_sample(tiny, 0)
    grid = occupancy(tiny, 0)
    assert volume.dtype == label.dtype == np.uint8 and volume.shape == label.shape == (16, 16, 16)
    assert (label[grid == 0] == 0).all() and (volume[grid == 0] <= tiny.intensity.background).all()
    for index, fractal in enumerate(fractals(tiny, 0)):
        mine = grid == index + 1
        assert (label[mine] == fractal.category + 1).all()
        assert (
            np.abs(volume[mine].astype(int) - tiny.intensity.levels[fractal.category]) <= tiny.intensity.noise
        ).all()


def test_intensities_do_not_depend_on_what_else_is_made(tiny):
    first = [make_sample(tiny, s) for s in range(6)]
    again = [make_sample(tiny, s) for s in reversed(range(6))][::-1]
    assert all((a[0] == b[0]).all() and (a[1] == b[1]).all() for a, b in zip(first, again, strict=True))


def test_jitter_moves_a_whole_fractal(tiny):
    bright = dataclasses.replace(tiny, intensity=dataclasses.replace(tiny.intensity, jitter=20, noise=0))
    offsets = set()
    for sample in range(6):
        volume, grid = make_sample(bright, sample)[0], occupancy(bright, sample)
        for index, fractal in enumerate(fractals(bright, sample)):
            values = set(volume[grid == index + 1].tolist())
            assert values == {bright.intensity.levels[fractal.category] + fractal.brightness}
            offsets.add(fractal.brightness)
    assert len(offsets) > 5 and max(map(abs, offsets)) <= 20


@pytest.mark.parametrize("terms", [1, 2, 4])
def test_noise_is_centred_and_bounded(terms):
    raw = np.random.default_rng(0).integers(0, 2**64, 20000, np.uint64)
    found = noise(raw, Intensity(background=1, levels=(1,), noise=10, terms=terms))
    assert np.abs(found).max() <= 10 * terms
    assert abs(found.mean()) < 0.3
    assert found.std() == pytest.approx(np.sqrt(terms * (21**2 - 1) / 12), rel=0.05)


KNOWN = "53da8018d64b5cf7cbf8aeb03b203b901e1235d826ee9c1d8a191bd95322d1d8"
