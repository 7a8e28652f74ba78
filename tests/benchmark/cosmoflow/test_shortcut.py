import numpy as np
import pytest

from benchmark.cosmoflow.shortcut import LEVELS, features, moments, regress, two_point
from benchmark.cosmoflow.universe import make_universe


def test_regression_is_scored_on_what_it_was_not_fitted_on():
    known = np.arange(10.0)[:, None]
    wanted = np.stack([2 * known[:, 0] + 1] * 4, axis=1)
    assert regress(known, wanted, 6) == pytest.approx(0, abs=1e-9)
    wanted[6:] += 3
    assert regress(known, wanted, 6) == pytest.approx(3)
    wanted = np.array([[0.0], [1.0], [8.0], [2.0], [4.0]])  # without features it is the median of training samples
    assert regress(np.zeros((5, 0)), wanted, 3) == 2.0  # |2 - 1| and |4 - 1|


def test_a_histogram_counts_each_channel_up_to_an_open_level(mini, tmp_path, monkeypatch):
    sample, kinds, seconds, parameters = features(tmp_path, mini, ("train", 7))
    x, y = make_universe(mini, 7)
    assert sample == 7 and np.array_equal(parameters, y) and set(seconds) == set(kinds)
    assert {kind: len(values) for kind, values in kinds.items()} == {
        "constant": 0,
        "mean count": mini.channels,
        "moments": 4 * mini.channels,
        "histogram": LEVELS * mini.channels,
        "two-point": 20 + 20 * 21 // 2,
    }
    histogram = kinds["histogram"].reshape(mini.channels, LEVELS)
    assert histogram.sum(axis=1) == pytest.approx(1)
    assert histogram[:, -1] == pytest.approx((x >= LEVELS - 1).mean(axis=(0, 1, 2)))


def test_two_points_tell_a_smooth_field_from_mixed_voxels():
    row = np.log1p(np.arange(8))
    smooth = np.broadcast_to(np.arange(8)[:, None, None], (8, 8, 8)).reshape(1, -1)
    mixed = np.random.default_rng(1).permutation(smooth, axis=1)
    assert moments(smooth) == pytest.approx(moments(mixed))
    centred = row - row.mean()
    wanted = (centred * np.roll(centred, 1)).mean() + 2 * (centred**2).mean()  # axes along which nothing changes
    assert two_point(smooth)[4] == pytest.approx(wanted)
    assert abs(two_point(mixed)[4]) < wanted / 10
