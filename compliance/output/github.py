"""Workflow commands of GitHub Actions: annotations at the files' lines."""

from compliance.finding import Finding, printable
from compliance.report import Report

COMMANDS = {"error": "error", "warning": "warning", "review": "notice", "info": "notice"}


def render(report: Report) -> str:
    """One command a line; waived findings are notices."""
    lines = [_command(f) for f in report.findings]
    lines += [f"::error file={_property(path)}::{_message(f'could not look: {why}')}" for path, why in report.missed]
    return "".join(f"{line}\n" for line in lines)


def _command(finding: Finding) -> str:
    name = "notice" if finding.waived else COMMANDS[finding.severity]
    waived = f" [waived by {finding.waived}]" if finding.waived else ""
    place = f"file={_property(finding.path)},line={max(1, finding.line)},title={_property(finding.code)}"
    return f"::{name} {place}::{_message(f'{finding.code} {finding.message()}{waived}')}"


def _message(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
