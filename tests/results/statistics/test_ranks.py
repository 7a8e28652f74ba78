"""Ranges of ranks, and the correction for many pairs."""

import math

import numpy as np
import pytest
from scipy import stats

from results.statistics.contrast import contrast, log_mean
from results.statistics.ranks import holm, p_values, rank_ranges
from tests.results.statistics.test_contrast import draw


def test_ranges_overlap_where_pairs_are_not_told_apart():
    fast, near, slow = draw(1, 20, 100), draw(2, 20, 100.5), draw(3, 20, 300)
    assert rank_ranges([fast, near, slow, [1.0]]) == [(1, 2), (1, 2), (3, 3), None]
    assert rank_ranges([]) == [] and rank_ranges([[1.0]]) == [None] and rank_ranges([fast]) == [(1, 1)]
    assert rank_ranges([[5.0] * 5, [5.0] * 5, [6.0] * 5]) == [(1, 2), (1, 2), (3, 3)]  # without any spread


CLOSE = [[50.0, 51.0, 52.0, 53.0, 54.0], [53.5, 61.0, 62.0, 63.0, 64.0]]  # a run of each lies among the other's


@pytest.mark.parametrize(("unit", "steps", "apart"), [(1, None, True), (100, None, True), (1, [0.1, 90.0], False)])
def test_sets_are_told_apart_where_their_evaluations_are_close(unit, steps, apart):
    ranks = [(1, 1), (2, 2)] if apart else [(1, 2), (1, 2)]
    assert rank_ranges([[t / unit for t in times] for times in CLOSE], steps) == ranks


def test_no_range_spans_sets_that_their_own_runs_separate():
    """The second set varies so much that no test of means tells it from the first; but each of its runs is slower."""
    sets = [[100.0, 101.0, 102.0, 103.0, 104.0], [104.5, 105.0, 150.0, 200.0, 290.0]]
    assert not contrast(*sets).high < 1 and contrast(*sets).separated and contrast(*sets).distinguishable
    assert rank_ranges(sets) == [(1, 1), (2, 2)]
    sets[1][0] = 103.5
    assert not contrast(*sets).separated and rank_ranges(sets) == [(1, 2), (1, 2)]


def test_a_run_that_did_not_converge_is_slower_than_all():
    fast, slow = draw(1, 10, 100), [*draw(2, 9, 130), math.inf]
    assert rank_ranges([fast, slow])[0] == (1, 1)


def test_among_many_a_pair_needs_more_than_by_itself():
    """Some two of twelve equal sets differ, taken by themselves; not among the other pairs."""
    sets = [draw(seed, 10) for seed in range(12)]
    alone = [contrast(a, b).distinguishable for i, a in enumerate(sets) for b in sets[:i]]
    assert any(alone)
    assert rank_ranges(sets) == [(1, 12)] * 12


def test_p_values_are_yuens():
    sets = [draw(1, 10), draw(2, 10, 105), draw(3, 10, 120)]
    logs = [[math.log(x) for x in times] for times in sets]
    pairs = [(0, 1), (0, 2), (1, 2)]
    wanted = [stats.ttest_ind(logs[i], logs[j], equal_var=False, trim=0.1).pvalue for i, j in pairs]
    means = [log_mean(times) for times in sets]
    found = p_values(*(np.array([getattr(m, name) for m in means]) for name in ("mean", "d", "h")))
    assert found == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("p", "rejected"),
    [
        ([0.05, 0.025], [True, True]),
        ([0.05, 0.0251], [False, False]),  # the smallest is not below a half: none
        ([0.0166, 0.9, 0.025], [True, False, True]),
        ([0.0166, 0.9, 0.0251], [True, False, False]),
    ],
)
def test_holm(p, rejected):
    assert holm(np.array(p), 0.05).tolist() == rejected


def test_means_without_error_differ_surely_or_not_at_all():
    mean, error = np.array([1.0, 1.0, 2.0]), np.zeros(3)
    assert p_values(mean, error, np.full(3, 3)).tolist() == [1, 0, 0]
