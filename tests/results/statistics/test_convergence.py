"""Epochs held against others': how surprising they are."""

import pytest

from results.statistics.convergence import surprise


def test_surprise():
    slow = [20, 22, 21, 23, 20, 24, 22, 21, 23, 22]
    found = surprise([10, 11, 10, 12, 11], slow)
    assert found.p == pytest.approx(1 / 3003)
    assert found.speedup == pytest.approx(21.8 / 10.8)
    assert 1 < found.detectable < 1.3
    same = surprise([20, 22, 21, 23, 24], slow)
    assert same.p > 0.3


def test_too_few_runs_can_detect_nothing():
    assert surprise([10.0], [10.0, 11.0, 12.0]).detectable is None


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="epochs"):
        surprise([], [1.0])
    with pytest.raises(ValueError, match="reference"):
        surprise([1.0], [float("inf")])
