import math

import pytest

from rules.reference import ReferencePoint, crossing, neighbours, reference_points


def test_what_follows_from_epochs_and_crossings():
    (point,) = reference_points({2: [9, 8, 11, 8]}, "smoke").values()
    assert point == ReferencePoint(2, (9.0, 8.0, 11.0, 8.0))
    assert (point.runs, point.median, point.epochs) == (4, 8.5, (9, 8, 11, 8))
    assert point.mean == 9
    assert math.isclose(point.deviation, math.sqrt(2))
    assert not point.between
    (point,) = reference_points({2: [4.01, 5, 3.99]}, "smoke").values()
    assert (point.epochs, point.crossings, point.between) == ((5, 5, 4), (4.01, 5, 3.99), True)
    assert reference_points({1: [1e-9, 1e-9]}, "smoke")[1].crossings == (1e-9, 1e-9)  # the smallest that is taken


@pytest.mark.parametrize(
    ("batch", "weights"),
    [(2, {2: 1}), (8, {8: 1}), (4, {2: 2 / 3, 8: 1 / 3}), (7, {2: 1 / 6, 8: 5 / 6}), (1, {}), (9, {})],
)
def test_a_batch_size_between_two_points_is_on_a_straight_line(batch, weights):
    points = reference_points({8: [9, 9], 2: [5, 5]}, "smoke")
    assert neighbours(points, batch) == pytest.approx(weights)
    assert neighbours({}, batch) == {}


@pytest.mark.parametrize(
    ("before", "after", "target", "at"),
    [
        ((4, 0.9), (5, 0.98), 0.95, 4.625),
        ((4, 0.9), (5, 0.95), 0.95, 5),
        ((0.5, 0.13), (1, 0.123), 0.124, 13 / 14),  # less is better
        ((4, 0.95), (5, 0.95), 0.95, 5),
    ],
)
def test_where_a_line_crosses_the_target(before, after, target, at):
    assert crossing(before, after, target) == pytest.approx(at)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([8, 9], r"found \[8, 9\], wanted batch sizes with the epochs of runs"),
        ({0: [8, 9]}, "smoke: found 0, wanted a batch size of 1 or more"),
        ({True: [8, 9]}, "found True, wanted a batch size"),
        ({2: 8}, "smoke.2: found 8, wanted a list of epochs"),
        ({2: [8]}, "smoke.2: found 1 runs, wanted 2 or more"),
        ({2: [8, 0]}, "smoke.2: found 0, wanted a positive number"),
        ({2: [8, True]}, "found True, wanted a positive number"),
        ({2: [8, math.nan]}, "found nan, wanted a positive number"),
    ],
)
def test_what_is_no_point_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        reference_points(values, "smoke")
