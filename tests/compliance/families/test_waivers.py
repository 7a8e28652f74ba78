"""WAI: the reviewer's own file."""

from datetime import date

import pytest

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
