"""Reference convergence points: what follows from the epochs of runs, and what is refused."""

import math

import pytest

from rules.reference import ReferencePoint, reference_points


def test_what_follows_from_the_epochs():
    (point,) = reference_points({2: [9, 8, 10.5, 8]}, "smoke").values()
    assert point == ReferencePoint(2, (9.0, 8.0, 10.5, 8.0))
    assert (point.runs, point.fewest, point.median, point.most) == (4, 8, 8.5, 10.5)
    assert point.mean == 8.875
    assert math.isclose(point.deviation, 1.1814539065631521)
    assert math.isclose(point.variation, point.deviation / 8.875)


def test_runs_that_are_alike_have_no_spread():
    (point,) = reference_points({1: [7, 7]}, "smoke").values()
    assert (point.runs, point.mean, point.deviation, point.variation) == (2, 7, 0, 0)


def test_a_problem_may_have_none_or_several():
    assert reference_points({}, "smoke") == {}
    assert list(reference_points({4: [1, 2], 1: [3, 4]}, "smoke")) == [4, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([8, 9], r"found \[8, 9\], wanted batch sizes with the epochs of runs"),
        ({0: [8, 9]}, "smoke: found 0, wanted a batch size of 1 or more"),
        ({"2": [8, 9]}, "found '2', wanted a batch size"),
        ({True: [8, 9]}, "found True, wanted a batch size"),
        ({2.0: [8, 9]}, "found 2.0, wanted a batch size"),
        ({2: 8}, "smoke.2: found 8, wanted a list of epochs"),
        ({2: []}, "smoke.2: found 0 runs, wanted 2 or more"),
        ({2: [8]}, "smoke.2: found 1 runs, wanted 2 or more"),
        ({2: [8, 0]}, "smoke.2: found 0, wanted a positive number"),
        ({2: [8, -1]}, "found -1, wanted a positive number"),
        ({2: [8, "9"]}, "found '9', wanted a positive number"),
        ({2: [8, True]}, "found True, wanted a positive number"),
        ({2: [8, math.inf]}, "found inf, wanted a positive number"),
        ({2: [8, math.nan]}, "found nan, wanted a positive number"),
    ],
)
def test_what_is_no_point_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        reference_points(values, "smoke")


@pytest.mark.parametrize("least", [1, 0.001, 1e-9])
def test_the_smallest_that_are_taken(least):
    assert reference_points({1: [least, least]}, "smoke")[1].fewest == least
