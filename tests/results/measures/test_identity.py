"""Which set it is: its range of ranks, its hardware and software."""

from types import SimpleNamespace

import pytest

from results.measures.identity import as_logged, kind_of, rank_text
from results.measures.registry import MEASURES


@pytest.mark.parametrize(("rank", "text"), [(None, None), ((2, 2), "2"), ((2, 4), "2-4")])
def test_a_range_of_ranks(rank, text):
    assert rank_text(rank) == text


def test_a_set_of_many_models_is_no_weak_scaling():
    assert [kind_of(scaling) for scaling in ("weak", "strong")] == ["throughput set", "strong"]


@pytest.mark.parametrize(
    ("why", "errors", "weak", "shown"),
    [("errors", 1, False, 52.0), (None, 1, False, None), ("too few runs", 0, False, None), ("errors", 1, True, None)],
)
def test_what_errors_take_away_is_the_figure_as_logged(why, errors, weak, shown):
    standing, score = SimpleNamespace(errors=["RUN01"] * errors), SimpleNamespace(fom=52.0)
    assert as_logged(SimpleNamespace(why=why, standing=standing, weak=weak, score=score)) == shown


def test_hardware_and_software_are_as_described(r):
    assert MEASURES["accelerator"].get(r) == "A" and MEASURES["accelerators_per_node"].get(r) == 4
    assert MEASURES["processors_per_node"].get(r) == "2"
    assert MEASURES["processor"].get(r) is MEASURES["software"].get(r) is None


def test_a_set_is_named_as_logged(r):
    named = [MEASURES[name].get(r) for name in ("benchmark", "problem", "scaling", "division", "org", "system")]
    assert named == ["scaffold", "smoke", "strong", "closed", "acme", "box"]
