"""The statistics of one set, against values worked out by hand or by another formula."""

import math

import numpy as np
import pytest

from results.statistics import score as s
from results.statistics.student import t_quantile
from rules.merit import trim_count


def test_a_set_without_a_score_says_why():
    diverged, few = s.score([10, 20, 30, math.inf, math.inf], required=5), s.score([10, 20, 30], required=5)
    assert diverged.fom is few.fom is s.score([10, 20]).fom is s.score([]).fom is None
    assert "2 of 5 runs did not converge" in diverged.why and "found 3, wanted 5: 2 more" in few.why
    assert s.score([10, 20, 33]).fom == 20  # no rule known: three leave one after trimming


@pytest.mark.parametrize("bad", [float("nan"), -1, 0])
def test_impossible_times_are_refused(bad):
    with pytest.raises(ValueError, match="wanted positive seconds"):
        s.score([10, 20, bad])


def test_tukey_mclaughlin_by_hand():
    # winsorized 1..5 with k=1: 2 2 3 4 4, mean 3, SSW 4, h 3: SE = sqrt(4/6), t(2) = 4.302653
    found = s.trimmed_mean([15, 11, 13, 12, 14])
    assert (found.n, found.k, found.degrees, found.mean) == (5, 1, 2, 13)
    assert found.standard_error == pytest.approx(math.sqrt(4 / 6))
    assert found.high - 13 == found.half == pytest.approx(4.302653 * math.sqrt(4 / 6), rel=1e-6)
    assert 13 - found.low == pytest.approx(found.half)
    four = s.score([10, 20, 30, 40])  # too few for an interval
    assert four.fom == 25 and four.trimmed.low is None and not four.trimmed.widened


POPULATIONS = {  # name: (population, the time between evaluations)
    "lognormal": (lambda rng, shape: 100 * rng.lognormal(0, 0.2, shape), 0.0),
    "exact epochs": (lambda rng, shape: 3 + (12 + rng.binomial(28, 0.3, shape)) * 5.0, 5.0),
    "9 to 11 epochs": (lambda rng, shape: 3 + (9 + rng.binomial(2, 0.5, shape)) * rng.normal(5, 0.05, shape), 5.0),
}


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("name", POPULATIONS)
def test_interval_holds_the_trimmed_mean_of_the_population(name, n):
    """93 to 97 % of 4,000 seeded samples, give or take two standard errors (0.8 %) of that share."""
    rng = np.random.default_rng(7)
    draw, step = POPULATIONS[name]
    population = np.sort(draw(rng, (1, 400_000))[0])
    cut = round(trim_count(n) / n * len(population))
    truth = population[cut : len(population) - cut].mean()
    found = [s.trimmed_mean(sample, step) for sample in draw(rng, (4000, n)).tolist()]
    share = np.mean([m.low <= truth <= m.high for m in found])
    assert 0.922 <= share <= 0.978


def test_runs_that_agree_do_not_make_their_epochs_certain():
    times = [50.1, 50.2, 50.3, 50.4, 50.5]
    alone, known = s.trimmed_mean(times), s.trimmed_mean(times, step=5.0)
    assert s.score(times).trimmed == alone and s.score(times, step=5.0).trimmed == known
    assert known.mean == alone.mean == pytest.approx(50.3) and (alone.widened, known.widened) == (False, True)
    assert alone.high - alone.low == pytest.approx(2 * t_quantile(0.975, 2) * (0.04 / 6) ** 0.5)
    floor = (4 * (5 / 6) ** 2 / 6) ** 0.5
    assert known.standard_error == pytest.approx(floor)
    wide = [40.0, 45.0, 50.0, 55.0, 60.0]
    assert s.trimmed_mean(wide, step=5.0) == s.trimmed_mean(wide)  # spread enough: the step changes nothing


def test_an_interval_ends_at_zero():
    """As seen: runs of 84 to 602 s had an interval from -191 s."""
    found = s.trimmed_mean([602.2, 220.0, 159.8, 412.2, 84.48])
    assert found.low == 0.0 and found.half == found.high - found.mean > found.mean


def test_a_score_says_what_it_rests_on():
    found = s.score([10.0, 20.0, 30.0, 40.0, math.inf], required=5)
    assert (found.n, found.converged, found.required, found.k, found.fom) == (5, 4, 5, 1, 30)
    assert math.isfinite(found.trimmed.high)
    assert s.score([1e-9, 1.0, 2.0]).fom == 1  # above 0 is enough


def test_the_deviation_is_that_of_a_sample():
    assert s.deviation([1.0, 2.0, 3.0, 4.0, 5.0]) == math.sqrt(2.5)
    assert s.deviation([7.0, 7.0, 7.0]) == 0
    assert s.deviation([12.008] * 3) == 0  # whose mean is rounded: "12.008 ± 0.00000" stood in tables


def test_harmonic_means_and_how_much_faster_a_deviation_is():
    assert s.harmonic([4.0]) == (4.0, None)
    assert s.harmonic([]) == s.harmonic([0.0, 1.0]) == (None, None)
    average, more = s.harmonic([1.0, 3.0])  # 1 and 1/3 seconds: mean 2/3, deviation sqrt(2)/3
    assert average == pytest.approx(1.5) and more == pytest.approx(1 / (2 / 3 - math.sqrt(2) / 3) - 1.5)
    assert s.harmonic([1.0, 100.0]) == (pytest.approx(2 / 1.01), None)  # a deviation of more than the mean
    assert s.harmonic([0.2, 1.0, 1.0, 1.0]) == (0.5, None)  # 5, 1, 1 and 1 seconds: a deviation of the mean
    assert s.harmonic([0.5, 0.5]) == (0.5, 0.0)


def test_spread_by_hand():
    found = s.spread([10.0, 30.0, math.inf, 7.0], [1, 2, 3, 0])  # one failed, one has no epochs
    assert found.time == pytest.approx(math.sqrt(200) / 20)
    assert found.epochs == pytest.approx(math.sqrt(0.5) / 1.5)
    assert s.spread([10.0, 30.0, math.inf], [1, 0, 3]) is None
    assert s.spread([1.0], [1]) is None and s.spread([5.0, 5.0], [0.5, 0.5]) == s.Spread(0, 0)


@pytest.mark.parametrize(
    ("seconds", "found"),
    [
        ([10.0, 10.0, 10.0, 9.0, s.SLOW * 10 - 0.01], []),
        ([10.0, 10.0, 10.0, 9.0, s.SLOW * 10], [(4, s.SLOW)]),
        ([10.0, 30.0, 10.0, 20.0, math.inf, 10.0, 10.0], [(1, 3.0), (3, 2.0)]),  # the slowest first
        ([10.0, 30.0, 10.0], [(1, 3.0)]),
        ([10.0, 30.0, math.inf], []),
        ([], []),
    ],
)
def test_runs_are_slow_from_one_and_a_half_times_the_median_on(seconds, found):
    assert s.slow_runs(seconds) == found
