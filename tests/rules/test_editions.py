"""The law holds together: headings and checks name each other, in every edition."""

import pytest

import compliance.checks  # noqa: F401  registers the checks
from compliance.rule import CHECKS, ordered
from rules.edition import HEADING, editions, load, read_rules

EDITIONS = editions()


def test_the_editions_are_there():
    assert EDITIONS == ["mlperf-hpc-v0.7", "mlperf-hpc-v1.0", "mlperf-hpc-v2.0", "mlperf-hpc-v3.0", "v1.0"]


@pytest.mark.parametrize("name", EDITIONS)
def test_every_heading_has_a_check_of_the_same_title(name):
    for code, rule in load(name).rules.items():
        if rule.by_review:
            assert code not in CHECKS
        else:
            assert CHECKS[code].sentence == rule.sentence


@pytest.mark.parametrize("name", EDITIONS)
def test_every_rule_has_a_reason(name):
    for rule in load(name).rules.values():
        assert len(rule.reason) > 20


@pytest.mark.parametrize("name", EDITIONS)
def test_every_second_level_heading_is_a_rule(name):
    text = (load(name).folder / "rules.md").read_text()
    assert all(HEADING.match(line) for line in text.splitlines() if line.startswith("## "))


def test_every_check_is_in_some_edition():
    in_force = {code for name in EDITIONS for code in load(name).rules}
    assert set(CHECKS) <= in_force


@pytest.mark.parametrize("name", EDITIONS)
def test_severities_are_of_rules_in_force(name):
    law = load(name)
    for code, severity in law.limits.severity.items():
        assert code in law.rules, code
        assert severity in ("error", "warning", "review", "info")


@pytest.mark.parametrize("name", EDITIONS)
def test_checks_come_behind_their_premises(name):
    for level in ("log", "tree", "set", "submission", "round"):
        codes = [check.code for check in ordered(level, load(name).codes)]
        for check in ordered(level, load(name).codes):
            assert all(codes.index(c) < codes.index(check.code) for c in check.after if c in codes)


def test_unknown_edition_names_the_known():
    with pytest.raises(ValueError, match=r"v1\.0"):
        load("v9.9")


def test_rule_twice_or_without_reason_is_refused(tmp_path):
    path = tmp_path / "rules.md"
    path.write_text("## LOG01 One\n\nReason.\n\n## LOG01 Two\n\nReason.\n")
    with pytest.raises(ValueError, match="given twice"):
        read_rules(path)
    path.write_text("## LOG01 One\n\n## LOG02 Two\n\nReason.\n")
    with pytest.raises(ValueError, match="has no reason"):
        read_rules(path)


@pytest.mark.parametrize("name", [n for n in EDITIONS if n.startswith("mlperf")])
def test_numbers_of_the_rounds(name):
    law = load(name)
    assert (law.benchmarks["cosmoflow"].runs, law.benchmarks["cosmoflow"].target) == (10, 0.124)
    assert (law.benchmarks["deepcam"].runs, law.benchmarks["deepcam"].target) == (5, 0.82)
    assert ("oc20" in law.benchmarks) == (name != "mlperf-hpc-v0.7")
    assert ("openfold" in law.benchmarks) == (name == "mlperf-hpc-v3.0")
    assert ("CLK11" in law.rules) == (name != "mlperf-hpc-v3.0")
