"""Write a report as JUnit XML for build servers: a suite for each submission, a case for each rule."""

from collections import defaultdict
from collections.abc import Mapping
from xml.etree import ElementTree as ET

from compliance.finding import Finding
from compliance.report import Report, Summary, owned
from compliance.rule import CHECKS
from compliance.safe import printable
from rules.text import Rule


def render(report: Report) -> str:
    """Return the XML. A case fails if its rule has an error that is not waived; other findings are its output."""
    suites = ET.Element("testsuites", name="compliance")
    found = owned([summary.path for summary in report.summaries], report.findings)
    for summary in report.summaries:
        by_code: dict[str, list[Finding]] = defaultdict(list)
        for finding in found[summary.path]:
            by_code[finding.code].append(finding)
        rules = report.editions[summary.edition].rules
        codes = [*(c for c in rules if c in CHECKS), *(c for c in by_code if c not in rules)]
        suite = ET.SubElement(suites, "testsuite", name=printable(summary.path), tests=str(len(codes)))
        failures = sum([_case(suite, summary, code, rules, by_code[code]) for code in codes])
        suite.set("failures", str(failures))
        suite.set("errors", "0")
    if report.missed:
        tests = str(len(report.missed))
        suite = ET.SubElement(suites, "testsuite", name="could not be checked", tests=tests, failures="0")
        suite.set("errors", str(len(report.missed)))
        for path, why in report.missed:
            case = ET.SubElement(suite, "testcase", classname="missed", name=printable(path))
            ET.SubElement(case, "error", message=printable(why)).text = printable(why)
    for name in ("tests", "failures", "errors"):
        suites.set(name, str(sum(int(s.get(name, 0)) for s in suites)))
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _case(suite: ET.Element, summary: Summary, code: str, rules: Mapping[str, Rule], findings: list[Finding]) -> int:
    sentence = f" {rules[code].sentence}" if code in rules else ""
    case = ET.SubElement(suite, "testcase", classname=printable(summary.path), name=code + sentence)
    errors = [f for f in findings if f.severity == "error" and not f.waived]
    others = [f for f in findings if f not in errors]
    if errors:
        failure = ET.SubElement(case, "failure", message=errors[0].message(), type=code)
        failure.text = "\n".join(f.text() for f in errors)
    if others:
        ET.SubElement(case, "system-out").text = "\n".join(f.text() for f in others)
    return bool(errors)
