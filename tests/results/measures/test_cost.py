"""Size, budget and throughput sets, as measures."""

import pytest

from results.measures.cost import THROUGHPUT
from results.measures.registry import MEASURES


def test_hours_are_units_and_nodes_times_the_time(r):
    for what in ("unit", "node"):
        assert MEASURES[f"{what}_hours"].get(r) == pytest.approx(MEASURES[f"{what}s"].get(r) * 52 / 3600)
    assert MEASURES["unit"].get(r) == "accelerator"
    assert {measure.get(r) for measure in THROUGHPUT} == {None}  # of one model at a time


def test_many_models_at_once_have_models_an_hour_a_device(tree, new_log):
    """Four models of 100 s, started a second apart, on a system of four devices."""
    start = 1_700_000_000_000
    tree.set([new_log.scaffold(100, seed=i, start=start + 1000 * i) for i in range(4)], scaling="weak")
    (r,) = tree.results()
    found = {name: MEASURES[name].get(r) for name in ("models_per_hour", "models_per_hour_per_unit", "total_scale")}
    assert found["models_per_hour"] == pytest.approx(4 * 3600 / 103)
    assert found["models_per_hour_per_unit"] == pytest.approx(found["models_per_hour"] / found["total_scale"])
