"""JUnit: suites, cases and failures, and numbers that add up."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from compliance.output.junit import render


def test_junit_counts_what_it_holds(run, broken):
    _, out, _ = run(broken.root, "--format", "junit")
    suites = ET.fromstring(out)
    cases = suites.findall("testsuite/testcase")
    assert len(cases) == int(suites.get("tests")) > 80
    assert [c.get("name")[:6] for c in cases if c.find("failure") is not None] == ["SEED03"]
    assert suites.get("failures") == "1"


def cases(suites, kind):
    return [c.get("name")[:6] for c in suites.iter("testcase") if c.find(kind) is not None]


def test_an_error_fails_its_rules_case_and_other_findings_are_its_output(report, seed, file):
    suites = ET.fromstring(render(report(seed, replace(seed, line=9), file)))
    (suite,) = suites
    assert (cases(suites, "failure"), cases(suites, "system-out")) == (["SEED03"], ["TREE03"])
    assert (suite.get("failures"), suites.get("failures"), suites.get("errors")) == ("1", "1", "0")
    (failure,) = suite.iter("failure")
    assert failure.get("message") == seed.message() and failure.text.splitlines() == [
        seed.text(),
        replace(seed, line=9).text(),
    ]


def test_a_waived_error_fails_nothing(report, seed):
    suites = ET.fromstring(render(report(replace(seed, waived="r: agreed"))))
    assert (cases(suites, "failure"), cases(suites, "system-out"), suites.get("failures")) == ([], ["SEED03"], "0")


def test_a_rule_of_no_edition_has_a_case_too(report, seed):
    suites = ET.fromstring(render(report(replace(seed, code="OWN01"))))
    assert cases(suites, "failure") == ["OWN01"]
    assert int(suites.get("tests")) == len(list(suites.iter("testcase")))


def test_what_could_not_be_looked_at_is_an_error(report):
    suites = ET.fromstring(render(report(missed=[("x", "gone")])))
    assert (cases(suites, "error"), suites.get("errors")) == (["x"], "1")
