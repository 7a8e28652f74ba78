import pytest

from benchmark.tuning.campaign import Axis
from results.html.specs import SPECS
from results.html.tuning import place, sections


def test_no_campaigns_no_section():
    assert sections([]) == []


def test_where_values_are_on_their_axes():
    assert [place(Axis(1e-4, 1e-2, "log"), v) for v in (1e-4, 1e-3, 1e-2)] == pytest.approx([0, 0.5, 1])
    assert [place(Axis(1, 3), v) for v in (1, 1.5, 3)] == [0, 0.25, 1]
    assert [place(Axis(values=("a", "b", "c")), v) for v in "abc"] == pytest.approx([0, 0.5, 1])


def test_every_kind_of_chart_is_there():
    assert {"parallel", "setting", "setting log", "so far", "by batch"} <= SPECS.keys()
