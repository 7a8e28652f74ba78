"""Markdown, for a review or a pull request: a table of submissions, then their findings."""

from compliance.finding import Finding, printable
from compliance.report import Report, owners


def render(report: Report) -> str:
    """Headings, tables and nothing that a renderer would obey."""
    lines = ["# Verdict", "", "| what | edition | logs | errors | warnings | to review | waived | rules passed |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for s in report.summaries:
        numbers = " | ".join(str(s.counts[n]) for n in ("error", "warning", "review", "waived"))
        lines.append(f"| {_cell(s.path)} | {s.edition} | {s.logs} | {numbers} | {s.passed} of {s.rules} |")
    found = owners(report.summaries, report.findings)
    for path, findings in found.items():
        if findings:
            lines += [
                "",
                f"## {_cell(path) or 'elsewhere'}",
                "",
                "| place | rule | severity | what |",
                "| --- | --- | --- | --- |",
            ]
            lines += [_row(f) for f in findings]
    if report.missed:
        lines += ["", "## Could not look", ""]
        lines += [f"- {_cell(path)}: {_cell(why)}" for path, why in report.missed]
    return "\n".join(lines) + "\n"


def _row(finding: Finding) -> str:
    severity = f"waived by {finding.waived}" if finding.waived else finding.severity
    impact = f" ({finding.impact})" if finding.impact else ""
    place = f"{finding.path}:{finding.line}"
    return f"| {_cell(place)} | {finding.code} | {_cell(severity)} | {_cell(finding.message())}{impact} |"


def _cell(text: str) -> str:
    """Text that stays text within a table's cell."""
    escaped = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join("\\" + c if c in "\\`*_[]|#~$@!" else c for c in escaped)
