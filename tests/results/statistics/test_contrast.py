"""Comparisons of two sets."""

import math
import random

import pytest
from scipy import stats

from results.statistics.contrast import contrast, probability_faster, rank_ranges


def draw(seed, n, mean=100.0, sigma=0.1):
    rng = random.Random(seed)
    return [mean * rng.lognormvariate(0, sigma) for _ in range(n)]


def test_identical_sets_are_never_different():
    for seed in range(200):
        times = draw(seed, 5 + seed % 30)
        found = contrast(times, times[::-1])
        assert found.ratio == pytest.approx(1)
        assert found.distinguishable is False
        assert found.faster == 0.5
    assert contrast([7.0] * 5, [7.0] * 5).distinguishable is False


def test_clearly_slower():
    found = contrast(draw(1, 10, 200), draw(2, 10, 100))
    assert found.low < found.ratio < found.high
    assert found.low > 1.5
    assert found.distinguishable
    assert found.faster == 0


def test_agrees_with_scipy_yuen():
    a, b = draw(1, 10), draw(2, 10, 105)
    log = [math.log(x) for x in a], [math.log(x) for x in b]
    reference = stats.ttest_ind(*log, equal_var=False, trim=0.1)
    interval = reference.confidence_interval(0.95)
    found = contrast(a, b)
    assert math.log(found.low) == pytest.approx(interval.low, rel=1e-9)
    assert math.log(found.high) == pytest.approx(interval.high, rel=1e-9)


def test_probability_is_mann_whitney():
    a, b = [1, 2, 3, 3], [2, 3, 4]
    u = stats.mannwhitneyu(a, b).statistic  # pairs where a > b, ties half
    assert probability_faster(a, b) == pytest.approx(1 - u / 12)
    assert probability_faster([1.0], [math.inf]) == 1
    assert math.isnan(probability_faster([], [1.0]))


def test_failed_runs_count_as_slow_and_too_many_give_no_ratio():
    assert contrast([*draw(1, 4), math.inf], draw(2, 5)).ratio is not None
    assert contrast([*draw(1, 3), math.inf, math.inf], draw(2, 5)).ratio is None
    assert contrast(draw(1, 4), draw(2, 5)).distinguishable is None


def test_rank_ranges_overlap_where_intervals_do():
    fast, near, slow = draw(1, 20, 100), draw(2, 20, 100.5), draw(3, 20, 300)
    assert rank_ranges([fast, near, slow, [1.0]]) == [(1, 2), (1, 2), (3, 3), None]
    assert rank_ranges([]) == []
    assert rank_ranges([[5.0] * 5, [5.0] * 5, [6.0] * 5]) == [(1, 2), (1, 2), (3, 3)]
