import dataclasses

import numpy as np
import pytest

from benchmark.metric import Counts, dice
from benchmark.scaffold.shortcut import box_sum, fit, neighbour_means, score, shortcuts


def test_box_sum():
    values = np.random.default_rng(0).integers(0, 9, (7, 8, 9)).astype(np.int32)
    found = box_sum(values)
    assert found[3, 3, 3] == values[1:6, 1:6, 1:6].sum()
    assert found[0, 7, 8] == values[:3, 5:, 6:].sum()


def test_neighbour_means():
    volume = np.full((5, 5, 5), 40, np.uint8)
    occupied = np.zeros_like(volume, dtype=bool)
    occupied[2, 2, 2] = occupied[4, 4, 4] = True
    volume[2, 2, 2], volume[4, 4, 4] = 101, 200
    assert neighbour_means(volume, occupied).tolist() == [602, 602]  # 4 * 150.5


def test_fit_on_separate_classes_is_perfect():
    counts = np.array([[90, 0, 0], [0, 7, 0], [0, 0, 3], [0, 0, 0]])
    assert score(counts, fit(counts), counts.sum(axis=0)) == 1.0


def test_fit_is_the_best_table():
    """Held against every table of a small histogram."""
    counts = np.array([[50, 4, 1], [20, 6, 2], [9, 3, 8], [5, 1, 2]])
    true = counts.sum(axis=0)

    def of(table):
        hit = tuple(int(counts[table == c, c].sum()) for c in range(3))
        return dice(Counts(hit, tuple(int(counts[table == c].sum()) for c in range(3)), tuple(true.tolist())))

    best = max(of(np.array(t)) for t in np.ndindex(3, 3, 3, 3))
    assert score(counts, fit(counts), true) == pytest.approx(best)


def test_without_noise_one_voxel_is_enough(tiny):
    clean = dataclasses.replace(tiny, intensity=dataclasses.replace(tiny.intensity, noise=0))
    assert shortcuts(clean)["voxel"] == 1.0


def test_noise_makes_one_voxel_weak_evidence(tiny):
    levels = dataclasses.replace(tiny.intensity, levels=(100, 120), noise=40)
    found = shortcuts(dataclasses.replace(tiny, intensity=levels))
    assert found["voxel"] < found["neighbours"] < 1
