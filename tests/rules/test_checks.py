"""Texts and checks hold together: each rule that a program can check has a check of the same sentence."""

import pytest

import compliance.checks  # noqa: F401  registers the checks
from compliance.rule import CHECKS, LEVELS, ordered, premises
from rules.current import editions
from rules.edition import load

EDITIONS = editions()


@pytest.mark.parametrize("name", EDITIONS)
def test_every_rule_has_a_check_of_the_same_sentence(name):
    for code, rule in load(name).rules.items():
        if rule.by_review:
            assert code not in CHECKS
        else:
            assert CHECKS[code].sentence == rule.sentence


def test_every_check_is_in_some_edition():
    assert set(CHECKS) <= {code for name in EDITIONS for code in load(name).rules}


@pytest.mark.parametrize("name", EDITIONS)
def test_severities_differ_from_the_checks_own(name):
    for code, severity in load(name).limits.severity.items():
        assert severity != CHECKS[code].severity, code


@pytest.mark.parametrize("name", EDITIONS)
def test_checks_come_behind_their_premises(name):
    for level in LEVELS:
        codes = [check.code for check in ordered(level, load(name).codes)]
        for check in ordered(level, load(name).codes):
            assert all(codes.index(c) < codes.index(check.code) for c in premises(check.code) if c in codes)
