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


def test_a_number_that_is_not_above_zero_is_refused():
    for epochs, reference in (([0.0], [1.0]), ([1.0], [2.0, -1.0])):
        with pytest.raises(ValueError, match="wanted positive numbers"):
            surprise(epochs, reference)


NINETEEN = [float(n) for n in range(10, 29)]  # mean 19: below 10, one choice of 20 is as small


def test_what_can_be_detected_is_the_first_hundredth_that_would_surprise():
    assert surprise([19.0], NINETEEN).detectable == 1.91  # 19 / 1.90 is 10, which the reference has too
    assert surprise([38.0], NINETEEN).detectable == 1.91  # of the reference's own mean, whatever was seen
    assert surprise([19.0], NINETEEN[1:]).detectable is None  # one of 19 is more than 5 %
    halves = [n / 2 for n in NINETEEN]
    assert surprise([9.0, 10.0], halves).detectable == surprise([18.0, 20.0], halves).detectable


def test_speed_ups_that_can_be_detected_are_shown_from_1_to_100():
    assert surprise([19.0], NINETEEN, level=1.0).detectable == 1
    assert surprise([1.0], [1.0] + [1000.0] * 18, level=1 / 19).detectable == 100
