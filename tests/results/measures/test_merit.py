"""The figure of merit and its interval, as measures."""

import pytest

from results.measures.merit import models_per_hour
from results.measures.registry import MEASURES


def test_the_figure_of_merit_in_seconds_minutes_and_models_an_hour(results):
    (r,) = results
    value = {name: measure.get(r) for name, measure in MEASURES.items()}
    assert (value["runs"], value["converged"], value["dropped"]) == (5, 5, 1)
    assert value["fom_seconds"] == pytest.approx(52) and value["fom_minutes"] == pytest.approx(52 / 60)
    assert models_per_hour(r) == value["models_per_hour"] == pytest.approx(3600 / 52)
    assert value["fom_low"] < 52 < value["fom_high"] and value["median_seconds"] == pytest.approx(52)
