"""The expected time of a set, its errors, and the ratio of two."""

import math
from dataclasses import replace

import pytest

from results.statistics import expected as module
from results.statistics.expected import Expected, expected, ratio, widest
from results.statistics.student import Part
from rules.edition import load
from rules.reference import reference_points


@pytest.fixture
def published(monkeypatch):
    """An edition v1.0 with reference points of the problem smoke."""

    def publish(points):
        known = load("v1.0")
        smoke = replace(known.problems["smoke"], reference_epochs=reference_points(points, "smoke"))
        monkeypatch.setattr(module, "load", lambda name: replace(known, problems={"smoke": smoke}))

    return publish


def one(tree, new_log, **facts):
    """A set of five runs of 50 to 54 s, with a batch of 8, as many epochs as the logs say."""
    tree.set([new_log.scaffold(50 + i, seed=i, epochs=4 + i % 2, **facts) for i in range(5)])
    (r,) = tree.results()
    return r


def test_the_samples_are_the_references_and_the_speed_is_the_sets(tree, new_log, published):
    r = one(tree, new_log)
    published({8: [6, 6, 7, 5]})
    found, why = expected(r)
    samples = 6 * r.one("train_samples")
    each = [row.staging_ms / 1000 + samples / row.compute_rate for row in r.rows]
    assert why == "" and found.samples == samples and found.batches == (8,)
    assert found.seconds == pytest.approx(math.fsum(each) / 5)
    low, high = found.interval
    assert low < found.seconds < high and found.speed.degrees == 4


def test_it_does_not_depend_on_the_luck_of_seeds(tree, new_log, published):
    """Runs of one speed that need twice the epochs, and so twice the time, have the same expected time."""
    published({8: [6, 6, 7, 5]})
    for org, seconds, epochs in (("lucky", 40, 4), ("unlucky", 80, 8)):
        logs = [new_log.scaffold(seconds, staging=0, seed=epochs * 10 + i, epochs=epochs) for i in range(5)]
        tree.set(logs, org=org)
    lucky, unlucky = tree.results()
    assert unlucky.fom > 1.9 * lucky.fom
    assert expected(unlucky)[0].seconds == pytest.approx(expected(lucky)[0].seconds, rel=0.03)


def test_a_batch_between_two_points_lies_on_a_straight_line(tree, new_log, published):
    r = one(tree, new_log)
    published({4: [4, 4, 4, 4], 16: [10, 10, 10, 10]})
    found, _ = expected(r)
    assert found.samples == pytest.approx(6 * r.one("train_samples")) and found.batches == (4, 16)
    assert len(found.points) == 2


@pytest.mark.parametrize("change", [{"group": ("v1.0", "scaffold", "smoke", "strong", "open")}, {"why": "errors"}])
def test_a_set_that_has_no_score_or_trains_otherwise_has_none(tree, new_log, published, change):
    r = one(tree, new_log)
    published({8: [6, 6]})
    assert expected(r)[0] is not None
    none, why = expected(replace(r, **change))
    assert none is None and why in ("no score", "the open division may need other samples than the reference")


@pytest.mark.parametrize(
    ("points", "why"),
    [
        ({}, "the edition has no reference points at a batch size of 8"),
        ({9: [5, 5], 16: [6, 6]}, "the edition has no reference points at a batch size of 8: those known are 9, 16"),
        ({2: [5, 5]}, "the edition has no reference points at a batch size of 8: those known are 2"),
    ],
)
def test_a_batch_without_points_says_so(tree, new_log, published, points, why):
    r = one(tree, new_log)
    published(points)
    assert expected(r) == (None, why)


def test_both_errors_count_and_neither_alone():
    speed, point = Part(0.01**2, 4), Part(0.02**2, 9)
    both = widest([speed, point])
    assert widest([speed]) < widest([point]) < both < widest([speed]) + widest([point])
    assert widest([speed], 3) > widest([speed])
    assert widest([Part(0.0, 4)]) == 0
    assert widest([Part(4.0, 1)], 1000) == module.WIDEST


def test_runs_that_end_at_one_evaluation_have_an_error(tree, new_log, published):
    r = one(tree, new_log)
    published({8: [6, 6, 6, 6]})
    found = expected(r)[0]
    share = 1 - r.mean("staging_ms") / 1000 / found.seconds  # an epoch more lengthens all but staging
    assert found.points_error == pytest.approx(share / 6 / 6 / 2) and found.points[0].degrees == 3


def of(seconds, samples=600.0):
    return Expected(seconds, samples, (8,), Part(0.003**2, 4), (Part(0.02**2, 9),))


def test_two_sets_of_one_batch_have_the_references_samples_in_common():
    alike, unlike = ratio(of(53), of(50)), ratio(of(53, 700.0), of(50))
    assert alike.value == unlike.value == 1.06
    assert (alike.low, alike.high) == pytest.approx((1.0497, 1.0704), abs=1e-4)
    assert unlike.low < 1.02 < 1.1 < unlike.high
    turned = ratio(of(50), of(53))
    assert (turned.low, turned.high) == pytest.approx((1 / alike.high, 1 / alike.low))


def test_two_sets_without_deviation_have_no_interval():
    exact = replace(of(50), speed=Part(0.0, 4))
    assert (ratio(exact, exact).low, ratio(exact, exact).high) == (None, None)
