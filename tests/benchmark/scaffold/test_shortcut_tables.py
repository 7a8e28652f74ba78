import numpy as np
import pytest

from benchmark.metric import Counts, dice
from benchmark.scaffold import shortcut_tables as tables
from benchmark.scaffold.shortcut_tables import bayes, fit, likely_occupied, log_likelihoods, score, votes


def test_neighbour_means():
    volume = np.full((5, 5, 5), 40, np.uint8)
    occupied = np.zeros_like(volume, dtype=bool)
    occupied[2, 2, 2] = occupied[4, 4, 4] = True
    volume[2, 2, 2], volume[4, 4, 4] = 101, 200
    assert tables.neighbour_means(volume, occupied).tolist() == [602, 602]  # 4 * 150.5


def test_fit_is_the_best_table():
    """Held against every table of a small histogram."""
    counts = np.array([[50, 4, 1], [20, 6, 2], [9, 3, 8], [5, 1, 2]])
    true = counts.sum(axis=0)

    def of(table):
        hit = tuple(int(counts[table == c, c].sum()) for c in range(3))
        return dice(Counts(hit, tuple(int(counts[table == c].sum()) for c in range(3)), tuple(true.tolist())))

    best = max(of(np.array(t)) for t in np.ndindex(3, 3, 3, 3))
    assert score(counts, fit(counts), true) == pytest.approx(best)


@pytest.fixture
def coloured():
    """A histogram of two categories whose intensities overlap, and a volume of two blocks drawn from it."""
    counts = np.zeros((256, 3), np.int64)
    counts[:8, 0] = 10_000
    counts[100:180, 1] = counts[140:220, 2] = 100
    random, label = np.random.default_rng(0), np.zeros((12, 12, 12), np.uint8)
    label[1:6, 1:11, 1:11], label[7:11, 1:11, 1:11] = 1, 2
    draws = [random.integers(low, high, label.shape) for low, high in ((0, 8), (100, 180), (140, 220))]
    return counts, np.choose(label, draws).astype(np.uint8), label


def test_naive_bayes_and_votes_find_intensities_by_their_neighbours(coloured):
    counts, volume, label = coloured
    one, many = (bayes(log_likelihoods(counts), volume, label > 0, reach) for reach in (0, 1))
    right = [(found == label)[label > 0].mean() for found in (one, many)]
    assert right[0] < 0.85 < 0.95 < right[1] and not one[label == 0].any()
    assert likely_occupied(counts).tolist() == [100 <= i < 220 for i in range(256)]
    found = votes(log_likelihoods(counts), likely_occupied(counts), volume)  # which find occupied voxels themselves
    assert np.array_equal(found > 0, label > 0) and (found == label).mean() > 0.98
