from results.html.specs import SPECS
from results.html.tuning import sections


def test_no_campaigns_no_section():
    assert sections([]) == []


def test_every_kind_of_chart_is_there():
    assert {"setting", "setting log", "so far", "by batch"} <= SPECS.keys()
