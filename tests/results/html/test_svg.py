"""Axes and marks."""

import pytest

from results.html.svg import MARKERS, Axis, bounds, figure, marker


def test_an_axis_maps_linearly_and_by_logarithm():
    assert [Axis(0, 10, 100, 200)(v) for v in (0, 5, 10)] == [100, 150, 200]
    assert [Axis(1, 100, 0, 200, True)(v) for v in (1, 10, 100)] == [0, 100, 200]
    assert Axis(5, 5, 0, 10)(5) == 5  # nothing to spread: in the middle


@pytest.mark.parametrize(("low", "high", "log"), [(0, 7, False), (0.31, 0.33, False), (1, 1e6, True), (3, 4, True)])
def test_ticks_are_few_and_inside(low, high, log):
    ticks = Axis(low, high, 0, 1, log).ticks()
    assert 2 <= len(ticks) <= 8 and all(low <= t <= high for t in ticks)


def test_bounds_show_every_value_and_survive_none():
    low, high = bounds([3.0, 5.0, float("inf")], False)
    assert low < 3 and high > 5
    assert bounds([], True) == (1.0, 10.0) and bounds([-1.0], True)[0] > 0


def test_every_marker_is_drawn_and_titles_are_escaped():
    assert all(marker(1, 2, shape, "mark").startswith("<") for shape in MARKERS)
    assert "<title>a &lt; b</title>" in figure("", 10, "a < b")
