"""The figure of merit and its interval, as measures."""

from dataclasses import replace

import pytest

from results.measures.merit import models_per_hour, relative
from results.measures.registry import MEASURES
from results.statistics import expected
from results.tables.words import epochs_words
from rules.edition import load
from rules.reference import reference_points


def test_the_figure_of_merit_in_seconds_minutes_and_models_an_hour(r):
    value = {name: measure.get(r) for name, measure in MEASURES.items()}
    assert (value["runs"], value["converged"], value["dropped"]) == (5, 5, 1)
    assert value["fom_seconds"] == pytest.approx(52) and value["fom_minutes"] == pytest.approx(52 / 60)
    assert models_per_hour(r) == value["models_per_hour"] == pytest.approx(3600 / 52)
    assert value["fom_low"] < 52 < value["fom_high"] and value["median_seconds"] == pytest.approx(52)


def test_a_relative_error_is_a_percentage():
    assert relative("x", "spread", "", lambda r: 0.1).title == "spread, %"


FEWER = "52 % fewer epochs: 10 on average of all converged runs, 21 of the reference's"


@pytest.mark.parametrize(
    ("points", "speedup", "words"),
    [
        ({"smoke": {8: [20, 20, 22, 22], 4: [5, 5]}}, 2.1, FEWER),
        ({"smoke": {4: [20, 22]}, "scale6": {8: [20, 22]}}, None, ""),  # of another batch size, another problem
    ],
)
def test_epochs_stand_beside_the_editions_points(tree, new_log, monkeypatch, points, speedup, words):
    known = load("v1.0")
    problems = {
        n: replace(p, reference_epochs=reference_points(points.get(n, {}), n)) for n, p in known.problems.items()
    }
    monkeypatch.setattr(expected, "load", lambda name: replace(known, problems=problems))
    tree.set([new_log.scaffold(50, epochs=10, seed=i) for i in range(5)])
    (r,) = tree.results()
    assert MEASURES["reference_speedup"].get(r) == speedup and epochs_words(r) == words
