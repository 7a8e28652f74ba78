"""Axes and marks."""

import pytest

from perf.curves.svg import Axis, bounds, label


def test_an_axis_maps_linearly():
    assert [Axis(0, 10, 100, 200)(v) for v in (0, 5, 10)] == [100, 150, 200]
    assert Axis(5, 5, 0, 10)(5) == 5  # nothing to spread: in the middle


@pytest.mark.parametrize(("low", "high"), [(0, 7), (0.31, 0.33), (3, 4)])
def test_ticks_are_few_and_inside(low, high):
    ticks = Axis(low, high, 0, 1).ticks()
    assert 2 <= len(ticks) <= 8 and all(low <= t <= high for t in ticks)


def test_bounds_show_every_value_and_survive_none():
    low, high = bounds([3.0, 5.0, float("inf")])
    assert low < 3 and high > 5
    assert bounds([]) == (0.0, 1.0)


def test_text_is_escaped():
    assert label(1, 2, "a < b").endswith(">a &lt; b</text>")
