"""Size, budget and throughput sets, as measures."""

import pytest

from results.measures.cost import COST, THROUGHPUT
from results.measures.registry import MEASURES


def test_hours_are_units_and_nodes_times_the_time(results):
    (r,) = results
    for what in ("unit", "node"):
        assert MEASURES[f"{what}_hours"].get(r) == pytest.approx(MEASURES[f"{what}s"].get(r) * 52 / 3600)


def test_sets_of_one_model_at_a_time_have_no_throughput(results):
    (r,) = results
    assert {measure.get(r) for measure in THROUGHPUT} == {None}
    assert MEASURES["unit"] in COST and MEASURES["unit"].get(r) == "accelerator"
