"""Runs that took much longer than the others."""

import math

import pytest

from results.statistics.slow import SLOW, slow_runs


@pytest.mark.parametrize(
    ("last", "found"),
    [(SLOW * 10 - 0.01, []), (SLOW * 10, [(4, SLOW)]), (20.0, [(4, 2.0)]), (math.inf, [])],
)
def test_from_one_and_a_half_times_the_median_on(last, found):
    assert slow_runs([10.0, 10.0, 10.0, 9.0, last]) == found


def test_the_slowest_first():
    assert slow_runs([10.0, 30.0, 10.0, 20.0, 10.0]) == [(1, 3.0), (3, 2.0)]


def test_of_three_that_converged_one_may_be_slow_and_none_of_two():
    assert slow_runs([10.0, 30.0, 10.0]) == [(1, 3.0)]
    assert slow_runs([10.0, 30.0]) == [] and slow_runs([10.0, 30.0, math.inf]) == [] and slow_runs([]) == []
