"""Throughput of many models at once."""

from types import SimpleNamespace

import pytest

from results.runs.columns import Row
from results.statistics.throughput import at_once, throughput


def model(start: int, stop: int, converged: bool) -> Row:
    return Row(SimpleNamespace(run=SimpleNamespace(window=(start, stop))), converged=converged)


def test_from_the_first_start_to_the_last_stop():
    """A start in the first millisecond of 1970 is one."""
    found, why = throughput([model(1000, 60_000, True), model(30_000, 121_000, True)], 8.0, 4.0)
    assert (found.models, found.seconds, found.total, found.instance, why) == (2, 120.0, 8.0, 4.0, "")
    assert found.models_per_hour == pytest.approx(60)
    assert throughput([model(0, 60_000, True)], None, None)[0].seconds == 60


def test_without_models_that_all_converged_there_is_none():
    """One that failed belongs among the pruned."""
    found, why = throughput([model(0, 1, True), model(0, 1, False)], None, None)
    assert found is None and why == "1 of 2 models did not converge, and are not among the pruned"
    assert throughput([], 8.0, 4.0) == (None, "no models")


def test_models_that_ran_at_once_fit_into_the_system():
    """Three models of 8 units each on 16: two at once fit, three don't, and then S is no number of units."""
    turns = [model(0, 60_000, True), model(0, 30_000, True), model(30_000, 60_000, True)]
    found, _ = throughput(turns, 16.0, 8.0)
    assert (found.instance, found.logged, found.most) == (8.0, None, None)
    found, _ = throughput([*turns[:2], model(29_999, 60_000, True)], 16.0, 8.0)
    assert (found.instance, found.logged, found.most) == (None, 8.0, pytest.approx(16 / 3))
    assert found.most_unit_hours == pytest.approx(16 * 60 / 3600 / 3)
    assert at_once([(0, 2), (1, 4), (3, 6), (3, 5)]) == 3 and at_once([(5, 5)]) == at_once([(0, 1)]) == 1


@pytest.mark.parametrize(("total", "instance"), [(None, 8.0), (16.0, None)])
def test_without_units_nothing_is_bounded(total, instance):
    found, _ = throughput([model(0, 60_000, True)], total, instance)
    assert found.logged is None and found.most is None and found.instance == instance
