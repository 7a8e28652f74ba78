"""Sets of one system at several sizes: efficiency, and what more units would buy."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from results.html.scaling import MORE, families, predicted, table
from results.tables.links import Links

LINKS = Links(Path("/"))


def sized(units, seconds, org="a", model="A100", division="closed", processor="P"):
    models = {"accelerator_model_name": model, "host_processor_model_name": processor}
    judged = SimpleNamespace(description=models)
    group = ("v1.0", "b", "p", "strong", division)
    return SimpleNamespace(
        org=org, name=f"s{units}", system=f"s{units}", judged=judged, group=group, fom=seconds, one={"units": units}.get
    )


def test_a_family_has_one_organisation_hardware_and_division():
    sets = [sized(8, 50.0), sized(4, 80.0, "A"), sized(8, 40.0), sized(4, 9.0, model="H100"), sized(2, 9.0, "b")]
    sets += [sized(16, 9.0, division="open"), sized(16, None), sized(32, 9.0, processor="Q")]
    assert [[(r.one("units"), r.fom) for r in of] for of in families(sets)] == [[(4, 80), (8, 40)]]


@pytest.mark.parametrize(
    ("units", "seconds"),
    [(100, 400), (200, 200), (400, 200), (800, 200), (50, None), (801, None), (141.42135, 282.8427)],
)
def test_a_time_is_predicted_between_sizes_and_a_little_beyond(units, seconds):
    found = predicted([sized(100, 400.0), sized(200, 200.0), sized(400, 200.0)], units)
    assert found == (seconds if seconds is None else pytest.approx(seconds))


def test_what_more_units_would_buy():
    assert MORE == 100 and table([sized(4, 80.0)], LINKS) is None
    found = table([sized(100, 400.0), sized(200, 200.0)], LINKS)
    assert [[c.text for c in line.cells] for line in found.lines] == [
        ["s100", "100", "6.67", "100", "3.33", "-50"],
        ["s200", "200", "3.33", "100", "2.22", "-33"],
    ]
    assert table([sized(4, 80.0), sized(8, 50.0)], LINKS).lines[1].cells[3].text == "80"  # the work of a unit
    assert found.lines[0].cells[0].href.startswith("#s100")
    assert table([sized(4, 80.0), sized(8, 40.0)], LINKS).lines[0].cells[4].text == "-"  # too far away
