"""Median curves of sets, with bands."""

import pytest

from results.html.charts import Side
from results.html.medians import medians, middle


def test_the_middle_of_runs_and_its_half():
    runs = [[(1, float(v)), (2, v + 10.0)] for v in (0, 1, 2, 3, 4)]
    assert middle(runs) == [(1, 1, 2, 3), (2, 11, 12, 13)]
    assert middle([[(1, 5.0)]]) == [(1, 5, 5, 5)] and middle([]) == middle([[]]) == []


@pytest.mark.parametrize(("ended", "last"), [(2, 3), (3, 1)])
def test_a_curve_ends_where_fewer_than_half_of_the_runs_are_left(ended, last):
    whole, short = [(1, 1.0), (2, 2.0), (3, 3.0)], [(1, 1.0)]
    assert middle([short] * ended + [whole] * (4 - ended))[-1][0] == last


def test_between_evaluations_a_run_is_straight():
    run = [(1, 1.0), (3, 5.0)]
    found = {x: middle for x, _, middle, _ in middle([run, [(2, 0.0), (4, 0.0)]])}
    assert found == {1: 1, 2: 1.5, 3: 2.5, 4: 0}


def test_many_epochs_are_thinned_with_the_first_and_the_last():
    found = middle([[(float(x), 1.0) for x in range(1000)]])
    assert len(found) == 60 and (found[0][0], found[-1][0]) == (0, 999)


def test_single_runs_are_kept_for_those_who_ask(new_log, read):
    sides = [Side("a", [read(new_log.scaffold(seed=i, values=[0.1 * (i + 1), 0.96])) for i in range(3)])]
    chart = medians(sides, 0.95)
    assert len(chart.tables["points"].rows) == 6 and not chart.log
    assert chart.tables["medians"].rows == [
        (0, 1, pytest.approx(0.15), 0.2, pytest.approx(0.25)),
        (0, 2, 0.96, 0.96, 0.96),
    ]
    assert medians([], 0.95) is None
