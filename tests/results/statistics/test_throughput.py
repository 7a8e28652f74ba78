"""Throughput of many models at once."""

import pytest

from results.statistics.throughput import throughput
from results.tables.columns import Row


def model(start: int, stop: int, converged: bool) -> Row:
    return Row(start_ms=start, stop_ms=stop, converged=converged)


def test_from_the_first_start_to_the_last_stop():
    found, why = throughput([model(1000, 61_000, True), model(31_000, 121_000, True)], 8.0, 4.0)
    assert (found.models, found.seconds, found.total, found.instance, why) == (2, 120.0, 8.0, 4.0, "")
    assert found.models_per_hour == pytest.approx(60)


def test_a_start_in_the_first_millisecond_of_1970_is_one():
    assert throughput([model(0, 60_000, True), model(30_000, 50_000, True)], None, None)[0].seconds == 60


def test_a_model_that_failed_belongs_among_the_pruned():
    found, why = throughput([model(0, 1, True), model(0, 1, False)], None, None)
    assert found is None and why == "1 of 2 models did not converge, and are not among the pruned"


def test_no_models():
    assert throughput([], 8.0, 4.0) == (None, "no models")
