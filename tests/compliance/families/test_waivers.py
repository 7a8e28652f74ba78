"""WAI: the reviewer's own file."""

from datetime import date
from types import SimpleNamespace

import pytest

from compliance.families import waivers as checks
from compliance.reviewing.waiver import read_waivers

damage = pytest.mark.damage


@damage
def waiver_of_nothing(tree):
    entry = "- {organisation: acme, code: SEED03, path: result_1.txt, reason: agreed, reviewer: r}\n"
    file = tree.put(tree.root.parents[1] / "waivers.yaml", entry)
    tree.options = {"waivers": read_waivers(file, [tree.root])}
    return [("waivers.yaml", 1, "WAI01")]


@damage
def waiver_that_has_expired(tree):
    entry = (
        "- {organisation: acme, code: SEED03, path: result_1.txt, reason: agreed, reviewer: r, expires: 2026-11-21}\n"
    )
    file = tree.put(tree.root.parents[1] / "waivers.yaml", entry)
    tree.options = {"waivers": read_waivers(file, [tree.root], date(2026, 11, 22))}
    return [("waivers.yaml", 1, "WAI02")]


def test_damage(entry, exactly):
    exactly(entry)


@pytest.mark.parametrize(("line", "place"), [(0, "result_1.txt"), (7, "result_1.txt:7")])
def test_a_waiver_is_told_by_the_place_that_it_names(line, place):
    unused = SimpleNamespace(path="result_1.txt", line=line, code="SEED03")
    (fault,) = checks.waivers_cover_a_finding([(1, unused), (4, unused)], {1})
    assert (fault.line, fault.found) == (4, f"no SEED03 at {place}")
