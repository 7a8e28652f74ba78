"""Write a report as SARIF 2.1.0 (OASIS), for code scanning and editors."""

import json
from typing import Any

from compliance.finding import Finding
from compliance.output.report import Report
from compliance.safe import address, printable
from rules.text import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "review": "note", "info": "note"}


def render(report: Report) -> str:
    """Return one run with every finding. Waived ones are suppressed; what could not be judged is a notification."""
    rules = {code: rule for edition in report.editions.values() for code, rule in edition.rules.items()}
    used = list(dict.fromkeys(f.code for f in report.findings))
    run = {
        "tool": {
            "driver": {
                "name": "compliance/check.py",
                "version": "1.0.0",
                "rules": [_rule(rules[code]) for code in used],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not report.missed,
                "exitCode": report.exit_code,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": printable(f"{path}: could not be checked: {why}")}}
                    for path, why in report.missed
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(f, used.index(f.code)) for f in report.findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.sentence},
        "fullDescription": {"text": rule.reason},
        "help": {"text": f"{rule.sentence}\n\n{rule.reason}"},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    region = {"startLine": max(1, finding.line)}
    place = {"artifactLocation": {"uri": address(finding.path)}, "region": region}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "kind": "review" if finding.severity == "review" else "informational" if finding.severity == "info" else "fail",
        "message": {"text": finding.message()},
        "locations": [{"physicalLocation": place}],
        "properties": {
            "severity": finding.severity,
            "found": printable(finding.found),
            "wanted": printable(finding.wanted),
        },
    }
    if result["kind"] != "fail":
        result["level"] = "none"  # in SARIF, only a failure has another level
    if finding.waived:
        result["suppressions"] = [{"kind": "external", "justification": printable(finding.waived)}]
    if finding.impact:
        result["properties"]["impact"] = finding.impact
    return result
