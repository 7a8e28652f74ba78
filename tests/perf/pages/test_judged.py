"""Which rules judge an event: found in limits, texts and checks."""

import pytest

from perf.pages.judged import judging
from rules.edition import load

EDITION = load("v1.0")


@pytest.fixture(scope="module")
def codes():
    keys = {key for known in EDITION.keys.values() for key in known}
    return judging(frozenset(keys | {"tracked_stats", "dataset_fingerprint", "eval_accuracy", "run_stop"}), EDITION)


@pytest.mark.parametrize(
    ("key", "some"),
    [
        ("seed", {"LOG04", "LOG05", "SEED01", "SEED02", "SEED03", "REG03"}),  # limits, texts, checks, facts of a run
        ("tracked_stats", {"LOG13", "CLK20"}),
        ("dataset_fingerprint", {"DATA01", "DATA03", "DATA05", "DATA08"}),
        ("eval_accuracy", {"EVL04", "EVL05", "EVL14", "LOG10"}),
        ("weights", {"WGT01", "WGT04"}),
    ],
)
def test_the_rules_of_an_event(codes, key, some):
    assert some <= set(codes[key])


def test_codes_are_the_editions_in_its_order(codes):
    order = list(EDITION.rules)
    assert all(found == sorted(set(found), key=order.index) for found in codes.values())


def test_every_listed_key_is_judged(codes):
    assert [key for key, found in codes.items() if not found] == []
