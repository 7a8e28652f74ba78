from collections import defaultdict

import pytest

import compliance.families  # noqa: F401  registers the checks
from compliance.rule import CHECKS, LEVELS, ordered, premises
from rules.current import editions
from rules.edition import load

EDITIONS = editions()


@pytest.mark.parametrize("name", EDITIONS)
def test_a_rule_has_a_check_unless_it_is_for_people(name):
    for code, rule in load(name).rules.items():
        assert (code in CHECKS) is not rule.by_review, code


def test_a_family_is_a_module_and_a_check_in_some_edition():
    families, modules = defaultdict(set), defaultdict(set)
    for code, check in CHECKS.items():
        family, module = code.rstrip("0123456789"), check.function.__module__
        families[family].add(module)
        modules[module].add(family)
    assert not {name: found for named in (families, modules) for name, found in named.items() if len(found) > 1}
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
