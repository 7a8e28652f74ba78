"""The registry of measures, and the views that are lists of its names."""

import pytest

from results.differences import COMPARED, measures, sides
from results.measures.registry import MEASURES
from results.tables import analysis
from results.tables.record import COLUMNS


def test_every_measure_has_its_own_name_and_meaning():
    assert len(MEASURES) == len(COLUMNS) and all(name == m.name for name, m in MEASURES.items())
    assert all(m.heading and m.meaning for m in MEASURES.values())


@pytest.mark.parametrize("view", [COMPARED, *analysis.TABLES.values()])
def test_views_name_measures(view):
    assert set(view) <= set(MEASURES)


def test_a_mean_has_the_digits_of_its_deviation(r):
    rows = dict(measures(sides([r, r])))
    assert rows["training, s"][0] == "25.45 ± 0.50" and rows["figure of merit, s"][0] == "52.0"
