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


def test_a_set_is_named_as_logged_and_described(r):
    logged = {"benchmark": "scaffold", "problem": "smoke", "scaling": "strong", "division": "closed", "org": "acme"}
    described = {"accelerator": "A", "accelerators_per_node": 4, "processors_per_node": "2"}
    wanted = {**logged, **described, "system": "box", "processor": None, "software": None}
    assert {name: MEASURES[name].get(r) for name in wanted} == wanted
