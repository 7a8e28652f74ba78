"""The registry of measures, and the views that are lists of its names."""

import json

import pytest

from compliance.engine import judge
from results.differences import COMPARED, measures, sides
from results.measures.measure import Measure
from results.measures.registry import MEASURES
from results.statistics.result import summarize
from results.tables import analysis
from results.tables.record import COLUMNS
from results.tables.text import json_text


@pytest.fixture
def results(tree, new_log):
    tree.set([new_log.scaffold(50 + i, seed=i) for i in range(5)])
    return summarize(judge([tree.root]), as_logged=True)


def test_every_measure_has_its_own_name_and_meaning():
    assert len(MEASURES) == len(COLUMNS) and all(name == m.name for name, m in MEASURES.items())
    assert all(m.heading and m.meaning for m in MEASURES.values())


@pytest.mark.parametrize(
    "view", [COMPARED, *([name for name, _ in columns] for columns in analysis.TABLES.values()), analysis.HEADS]
)
def test_views_name_measures(view):
    assert set(view) <= set(MEASURES)


def test_a_heading_has_the_unit():
    assert Measure("x", "span", "a span", lambda r: 1.0, "s").title == "span, s"
    assert Measure("x", "share", "a share", lambda r: 0.5, share=True).title == "share, %"


def test_hardware_and_software_are_as_described(results):
    (r,) = results
    assert MEASURES["accelerator"].get(r) == "A" and MEASURES["accelerators_per_node"].get(r) == 4
    assert MEASURES["processors_per_node"].get(r) == "2"
    assert MEASURES["processor"].get(r) is MEASURES["software"].get(r) is None


def test_json_says_its_schema_and_every_meaning(results):
    body = json.loads(json_text(results))
    assert body["schema"] == "results/2" and list(body["columns"]) == list(body["results"][0]) == list(MEASURES)
    assert body["columns"]["fom_seconds"] == "the figure of merit: trimmed mean of seconds, s"


def test_a_mean_has_the_digits_of_its_deviation(results):
    rows = dict(measures(sides([results[0], results[0]])))
    assert rows["training, s"][0] == "25.45 ± 0.50" and rows["FOM, s"][0] == "52"
