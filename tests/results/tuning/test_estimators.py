import itertools
import math
import random
import statistics

import pytest
import scipy.stats

from results.tuning import estimators as e

TIMES = [[3.0, 1.0, 2.0, 5.0], [3.0, math.inf, 1.0, math.inf, 4.0], [math.inf] * 3, [2.0, 2.0, 2.0], [7.0]]


@pytest.mark.parametrize("times", TIMES)
def test_the_expected_best_is_that_of_all_draws(times):
    for best in e.best_of(times):
        draws = [min(draw) for draw in itertools.combinations(times, best.k)]
        finite = [t for t in draws if math.isfinite(t)]
        assert best.share == pytest.approx(len(finite) / len(draws))
        assert best.seconds == (pytest.approx(statistics.mean(finite)) if finite else None)


def test_the_expected_best_of_many_trials_is_exact():
    found = e.best_of([float(t) for t in range(1, 201)])
    assert found[0].seconds == pytest.approx(100.5) and found[-1].seconds == 1.0
    assert found[99].seconds == pytest.approx(201 / 101)  # (N + 1) / (k + 1)


def test_the_expected_running_time_is_what_restarts_cost():
    costs = [10.0, 10.0, 4.0, 6.0]
    assert e.running_time(costs, [False, False, True, True]) == 15.0  # two tries of 7.5 on average
    assert e.running_time(costs, [False] * 4) == math.inf


def test_the_interval_of_the_running_time():
    found = e.running_time_interval([10.0] * 8, [True] * 4 + [False] * 4)
    assert found == e.running_time_interval([10.0] * 8, [True] * 4 + [False] * 4)
    assert found.value == 20.0 and 10 < found.low < 15 and 30 < found.high < 70
    chance = scipy.stats.beta(4.5, 4.5)  # of success; every trial costs 10
    assert found.low == pytest.approx(10 / chance.ppf(0.975), rel=0.02)
    assert found.high == pytest.approx(10 / chance.ppf(0.025), rel=0.1)


def test_draws_of_a_mean_are_students():
    """Six trials: mean 20, standard error 2; a tenth of Student's t with 5 degrees is beyond 1.4759 on each side."""
    spread = 2 * math.sqrt(5)
    costs = [20 - spread, 20 + spread] * 3
    assert statistics.stdev(costs) / math.sqrt(6) == pytest.approx(2)
    drawn = sorted(e._mean(random.Random(n), costs) for n in range(4000))
    assert (drawn[400], drawn[3600]) == (pytest.approx(20 - 2.95, abs=0.2), pytest.approx(20 + 2.95, abs=0.2))
    assert min(e._mean(random.Random(n), [0.1, 9.0]) for n in range(100)) == 0.0
    assert e._mean(random.Random(1), [7.0]) == 7.0


def test_an_interval_of_successes_alone_allows_for_failures():
    few, many = (e.running_time_interval([10.0] * n, [True] * n) for n in (4, 64))
    assert few.value == many.value == 10.0 <= many.low < many.high < 10.6 and few.low < 10.1 and 13 < few.high < 20


def test_an_interval_of_failures_alone_has_no_end():
    found = e.running_time_interval([10.0] * 8, [False] * 8)
    assert found.value == found.high == math.inf and 20 < found.low < 40
    assert e.running_time_interval([1e-9] * 8, [False] * 8).low < 1e-7  # a success counts as free
    once = e.running_time_interval([10.0] * 8, [True] + [False] * 7)
    assert once.value == 80 and once.low < 40 and math.isfinite(once.high)


@pytest.mark.parametrize("successes, low, high", [(0, 0, 0.1936), (8, 0.2800, 0.7200), (16, 0.8064, 1)])
def test_the_share_of_the_space(successes, low, high):
    found = e.share(successes, 16)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_pruned_trials_may_have_reached_the_target():
    found = e.share(10, 16, 6)
    assert (found.value, found.low, found.high) == (0.625, e.share(10, 16).low, 1)
    assert e.share(2, 16, 6).high == e.share(8, 16).high


def test_the_best_so_far():
    spans = [(30, 5.0, True), (10, 9.0, False), (20, 7.0, True), (40, 6.0, True)]
    assert e.best_so_far([*spans, (50, 5.0, True)]) == [(16.0, 7.0), (21.0, 5.0)]


def test_the_critical_batch_size():
    assert e.critical_batch([(b, 100 * (1 + b / 8)) for b in (1, 2, 4, 16)]) == pytest.approx(8)
    assert e.critical_batch([(b, 0.3 + 0.2 * b) for b in (1, 2, 4)]) == pytest.approx(1.5)
    assert e.critical_batch([(1, 5), (2, 6)]) is None
    for samples in ((5, 4, 3), (5, 5, 5), (1, 2.5, 5.5)):  # falls, stays, rises from below 0
        assert e.critical_batch(list(zip((1, 2, 4), samples, strict=True))) is None
