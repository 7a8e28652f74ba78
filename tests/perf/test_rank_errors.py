"""The simulation of ranks: its arithmetic is that of the results, and small runs of it show what the tables say."""

import numpy as np
import pytest

from perf.rank_errors import POPULATIONS, errors, even, held, log_means, smallest
from results.statistics.contrast import contrast, log_mean


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("step", [0.0, 5.0, 500.0])
def test_means_are_those_of_the_results(n, step):
    times = even(np.random.default_rng(n), (2, 3, n))
    mean, d, h = log_means(times, step)
    for group in range(2):
        for system in range(3):
            found = log_mean(times[group, system].tolist(), step)
            assert (mean[group, system], d[group, system]) == pytest.approx((found.mean, found.d))
            assert h[group, system] == found.h


def test_ranks_err_less_than_pairs():
    before, holm, after = errors(*POPULATIONS["lognormal 10 %"], systems=8, n=10, groups=400)
    assert before > 0.3 and max(holm, after) <= 0.05


def test_five_runs_separate_by_chance_more_often_than_ten():
    """What every run shows is told whatever the number of pairs: 2 of C(10, 5) orders of two equal sets of five."""
    draw, step = POPULATIONS["lognormal 10 %"]
    _, holm, after = errors(draw, step, systems=8, n=5, groups=2000)
    assert holm <= 0.05 and 0.11 < after < 0.19  # 28 pairs, which depend on each other, of 0.8 %


def test_a_wrong_order_is_an_error():
    draw, step = POPULATIONS["lognormal 10 %"]
    far, near = (errors(draw, step, systems=8, n=10, groups=400, rung=rung) for rung in (0.5, 0.001))
    assert far[0] < near[0] and max(far[2], near[2]) <= 0.05  # of twos far apart only equal ones can be told wrongly


def test_the_smallest_difference_is_seen_four_times_in_five():
    ratio = 1 + smallest(10, 0.1, 1, 20_000)
    times = even(np.random.default_rng(7), (1000, 2, 10)) * np.array([[[1.0], [ratio]]])
    seen = np.mean([contrast(a, b).high < 1 for a, b in times.tolist()])
    assert seen == pytest.approx(0.8, abs=0.04)


def test_an_interval_is_for_usual_runs():
    usual, _, every = held(10, 2000)
    assert usual == pytest.approx(0.95, abs=0.02) and every < 0.35
