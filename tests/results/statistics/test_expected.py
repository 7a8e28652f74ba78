"""The expected time of a set, its errors, and the ratio of two."""

import math
from dataclasses import replace

import pytest

from results.statistics.expected import Expected, expected, ratio, reference_epochs, widest
from results.statistics.student import WIDEST, Part


@pytest.fixture
def r(tree, new_log):
    """A set of five runs of 50 to 54 s, with a batch of 8, as many epochs as the logs say."""
    tree.set(new_log.five(more=1))
    (found,) = tree.results()
    return found


def every(r, **values):
    """The set with values of every row changed."""
    return replace(r, rows=tuple(row._replace(**values) for row in r.rows))


def test_the_samples_are_the_references_and_the_speed_is_the_sets(r, points):
    points({8: [6, 6, 7, 5]})
    found, why = expected(r)
    samples = 6 * r.one("train_samples")
    each = [row.staging_ms / 1000 + samples / row.compute_rate for row in r.rows]
    assert why == "" and found.samples == samples and found.batches == (8,)
    assert found.seconds == pytest.approx(math.fsum(each) / 5)
    assert expected(every(r, staging_ms=None))[0].seconds == pytest.approx(math.fsum(each) / 5 - 0.5)
    low, high = found.interval
    assert low < found.seconds < high and found.speed.degrees == 4
    assert reference_epochs(r) == (6, 6, 7, 5)
    assert reference_epochs(replace(r, group=("v1.0", "scaffold", "", *r.group[3:]))) == ()


def test_two_runs_that_converged_with_a_known_speed_are_needed(r, points):
    points({8: [6, 6, 7, 5]})
    first, *others = r.rows
    failed = replace(r, rows=(first._replace(converged=False), *others))
    assert expected(failed)[0].speed.degrees == 3 and expected(replace(r, rows=r.rows[:2]))[0].speed.degrees == 1
    unknown = (None, "the logs don't say how many samples a second the runs took")
    assert expected(replace(r, rows=r.rows[:1])) == expected(every(r, train_samples=None)) == unknown


def test_points_may_count_samples(r, points):
    points({8: [600, 600, 600, 600]}, "samples")
    found, _ = expected(r)
    assert (found.samples, found.points_error) == (600, 0)  # which have no step of an epoch


def test_a_batch_between_two_points_lies_on_a_straight_line(r, points):
    points({4: [4, 4, 4, 4], 16: [10, 10, 10, 10]})
    found, _ = expected(r)
    assert found.samples == pytest.approx(6 * r.one("train_samples")) and found.batches == (4, 16)
    assert len(found.points) == 2


def test_a_set_that_has_no_score_or_trains_otherwise_has_none(r, points):
    points({8: [6, 6]})
    assert expected(replace(r, why="errors")) == (None, "no score")
    opened = replace(r, group=(*r.group[:4], "open"))
    assert expected(opened) == (None, "the open division may need other samples than the reference")


@pytest.mark.parametrize(
    ("epochs", "why"),
    [
        ({}, "the edition has no reference points at a batch size of 8"),
        ({9: [5, 5], 16: [6, 6]}, "the edition has no reference points at a batch size of 8: those known are 9, 16"),
    ],
)
def test_a_batch_without_points_says_so(r, points, epochs, why):
    points(epochs)
    assert expected(r) == (None, why)


def test_both_errors_count_and_neither_alone():
    speed, point = Part(0.01**2, 4), Part(0.02**2, 9)
    both = widest([speed, point])
    assert widest([speed]) < widest([point]) < both < widest([speed]) + widest([point])
    assert widest([speed]) == pytest.approx(2.776 * 0.01, rel=1e-3) and widest([speed], 3) > widest([speed])
    assert widest([Part(0.0, 4)]) == 0
    assert widest([Part(4.0, 1)], 1000) == WIDEST


def test_runs_that_end_at_one_evaluation_have_an_error(r, points):
    points({8: [6, 6, 6, 6]})
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
    exact = replace(of(50), speed=Part(0.0, 4))
    assert (ratio(exact, exact).low, ratio(exact, exact).high) == (None, None)
