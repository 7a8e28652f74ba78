"""The simulation of campaigns: what it holds intervals against is what restarts cost."""

import random
import statistics

import pytest

from perf.tuning_coverage import campaign, coverage, expected


def test_the_expected_running_time_is_that_of_many_campaigns():
    draws = random.Random(5)
    costs, reached = campaign(draws, 100_000, 0.5)
    assert abs(sum(costs) / sum(reached) / expected(0.5) - 1) < 0.02
    assert abs(statistics.mean(reached) - 0.5) < 0.01


@pytest.mark.slow
def test_intervals_mostly_hold():
    holds, ended, shares = coverage(64, 0.5, 20)
    assert min(holds, shares) >= 0.7 and ended == 1
