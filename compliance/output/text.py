"""Text for people: `path:line: CODE sentence`, then a summary per submission."""

from compliance.finding import Finding, printable
from compliance.report import Report, Summary

COLORS = {"error": "31", "warning": "33", "review": "36", "info": "2"}


def render(report: Report) -> str:
    """The findings, one a line, what couldn't be looked at, and the summaries."""
    lines = [_line(f, report.color) for f in report.findings]
    lines += [f"{printable(path)}: could not look: {printable(why)}" for path, why in report.missed]
    if lines:
        lines.append("")
    lines += [line for s in report.summaries for line in _summary(s)]
    return "\n".join(lines) + "\n"


def _line(finding: Finding, color: bool) -> str:
    text = finding.text()
    if finding.waived:
        text += f" [waived by {printable(finding.waived)}]"
    if finding.impact:
        text += f" [{finding.impact}]"
    return f"\x1b[{COLORS[finding.severity]}m{text}\x1b[0m" if color else text


def _summary(summary: Summary) -> list[str]:
    counts = ", ".join(f"{n} {name}" for name, n in summary.counts.items() if n) or "nothing found"
    logs = f"{summary.logs} log{'' if summary.logs == 1 else 's'}"
    if summary.throughput_only:
        which = "" if summary.throughput_only == summary.logs else f"{summary.throughput_only} of them "
        logs += f" ({which}throughput-only: no scored run)"
    lines = [
        f"{printable(summary.path)}: {logs} by the rules {summary.edition}: {counts}",
        f"  {summary.passed} of {summary.rules} rules passed"
        + (f", broken: {', '.join(summary.broken)}" if summary.broken else ""),
    ]
    if summary.source:
        lines.append(f"  {summary.source}")
    if summary.review:
        lines.append(f"  for a reviewer: {', '.join(summary.review)}")
    return lines
