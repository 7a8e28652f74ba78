"""SARIF: rules, places, levels, and what is suppressed."""

import json
from dataclasses import replace

import pytest

from compliance.output.sarif import render
from rules.edition import load


def run_of(report):
    sarif = json.loads(render(report))
    (run,) = sarif["runs"]
    assert sarif["version"] == "2.1.0"
    return run


def test_each_rule_is_described_once_and_found_by_its_index(report, seed, file):
    run = run_of(report(seed, file, replace(seed, line=9), replace(seed, code="RUN01")))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["SEED03", "TREE03", "RUN01"]
    assert [result["ruleIndex"] for result in run["results"]] == [0, 1, 0, 2]
    assert rules[0]["fullDescription"]["text"]
    assert rules[0]["shortDescription"] == {"text": load("v1.0").rules["SEED03"].sentence}


@pytest.mark.parametrize(
    ("severity", "kind", "level"),
    [
        ("error", "fail", "error"),
        ("warning", "fail", "warning"),
        ("review", "review", "none"),
        ("info", "informational", "none"),
    ],
)
def test_what_is_no_failure_has_no_level(report, seed, severity, kind, level):
    (result,) = run_of(report(replace(seed, severity=severity)))["results"]
    assert (result["kind"], result["level"], result["properties"]["severity"]) == (kind, level, severity)
    assert (result["ruleId"], result["locations"][0]["physicalLocation"]["region"]) == ("SEED03", {"startLine": 8})


def test_a_waived_finding_is_suppressed_and_a_path_is_a_uri(report, seed):
    waived, other = run_of(report(replace(seed, waived="r: agreed", impact="none"), seed))["results"]
    assert waived["suppressions"] == [{"kind": "external", "justification": "r: agreed"}]
    assert waived["properties"]["impact"] == "none" and "suppressions" not in other
    (result,) = run_of(report(replace(seed, path="a b/ü#\udcff:.txt", line=0)))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a%20b/%C3%BC%23%FF%3A.txt"}, "region": {"startLine": 1}}


def test_what_could_not_be_looked_at_is_a_failed_execution(report, seed):
    (invocation,) = run_of(report(missed=[("x", "gone")], code=2))["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert invocation["toolExecutionNotifications"][0]["message"] == {"text": "x: could not be checked: gone"}
    assert run_of(report(seed))["invocations"][0]["executionSuccessful"] is True
