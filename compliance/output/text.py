"""Write a report as text for people: totals and errors, then a screen for each submission that ends in its verdict.

With `every`, each finding has a line of its own: `path:line: CODE severity: sentence`.
"""

from collections.abc import Iterator

from compliance.checklist import OBJECT, OPEN, Checklist
from compliance.finding import Finding, counted
from compliance.grouping import ORDER, Block, Group, Kind, blocks, fitted, label, shown, tally, told_as, verdict
from compliance.report import Report, Summary
from compliance.safe import printable
from compliance.sandbox import ABSENT

COLORS = {"error": "31", "warning": "33", "review": "36", "info": "2", "waived": "2"}
SCREEN = 20  # lines of a submission
WIDTH = 140  # of a line that others repeat, as far as paths allow; findings stand whole
HEAD = 5  # lines on errors, and as many on the other kinds of findings, ahead of all submissions
OBJECTIONS = 3  # of reviewers, in a submission's lines
MISSED = 3  # listed paths that could not be judged, ahead of all submissions
EXPLAINED = 6  # codes after --explain
SHORTEST = 40  # least characters of a sentence that are shown, however long its path is


def render(report: Report) -> str:
    """Return the text, with one finding or group of findings a line."""
    told = blocks(report)
    parts = [[*_head(report, told), *_missed(report)]]
    parts += [_block(block, report) for block in told]
    parts.append(_foot(report))
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _head(report: Report, told: list[Block]) -> list[str]:
    """Return the head of a report on several submissions, sets or logs: how many are in order, the counts of findings,
    and the kinds of errors, and of findings for review and warnings."""
    if len(report.summaries) < 2:
        return []
    counts = {name: sum(block.counts[name] for block in told) for name in ORDER}
    wrong = sum(bool(block.counts["error"]) or not block.summary.logs for block in told if block.summary)
    logs = sum(s.logs for s in report.summaries)
    order = f"{len(report.summaries) - wrong} of {len(report.summaries)} in order"
    lines = [f"{order}, {counted(logs, 'log')}: {tally(counts) or 'nothing found'}"]
    for severities in (("error",), ("review", "warning")):
        some = [(b, kind) for severity in severities for b in told for kind in b.kinds if kind.severity == severity]
        most = HEAD if len(some) <= HEAD else HEAD - 1
        for block, kind in some[:most]:
            size = f", {kind.size}" if kind.size else ""
            place = block.path or kind.findings[0].path
            line = _cut(f"  {kind.severity} {kind.code} in {place}{size}: ", kind.sentence)
            lines.append(_colored(kind.severity, line, report))
        if some[most:]:
            named = " and ".join(dict.fromkeys(kind.severity for _, kind in some[most:]))
            more = f"  {named}: {counted(len(some) - most, 'more rule')}, each below its submission"
            lines.append(_colored(some[most][1].severity, more, report))
    return lines


def _missed(report: Report) -> list[str]:
    most = len(report.missed) if report.every else MISSED
    lines = [f"{printable(path)}: error: could not be checked: {printable(why)}" for path, why in report.missed[:most]]
    if report.missed[most:]:
        lines.append(f"error: {counted(len(report.missed) - most, 'more place')} could not be checked (--all)")
    return [_colored("error", line, report) for line in lines]


def _block(block: Block, report: Report) -> list[str]:
    top, bottom = [_title(block.summary)], list(_about(block.summary))
    listed = block.summary.checklist if block.summary else None
    logs = block.summary.logs if block.summary else 1
    bottom.append(f"  {verdict(block.counts, report.chosen, len(listed.of(OBJECT)) if listed else 0, logs)}")
    if block.counts["error"]:
        bottom[-1] = _colored("error", bottom[-1], report)
    if report.every:
        lines = [_line(f, report) for kind in block.kinds for f in kind.findings]
    else:
        lines = list(_grouped(block, SCREEN - len(top) - len(bottom), report))
    return [*top, *lines, *bottom]


def _title(summary: Summary | None) -> str:
    if summary is None:
        return "elsewhere"
    logs = counted(summary.logs, "log")
    if summary.throughput_only:
        which = "" if summary.throughput_only == summary.logs else f"{summary.throughput_only} of them "
        logs += f" ({which}throughput-only: no scored run)"
    alone = ", without a submission" if summary.alone else ""
    return f"{printable(summary.path)}: {logs} by the rules {summary.edition}{alone}"


def _about(summary: Summary | None) -> Iterator[str]:
    if summary and summary.source:
        yield f"  {summary.source}"
    if summary and summary.checklist:
        yield from _reviewed(summary.checklist)
    elif summary and summary.review:
        yield f"  for a reviewer: {', '.join(summary.review)}"


def _reviewed(checklist: Checklist) -> Iterator[str]:
    """Yield the state of the reviews, and the first objections."""
    still = ", ".join(point.code for point in checklist.of(OPEN))
    yield _cut(f"  reviewed: {checklist.words()}", f"; open: {still}" if still else "")
    against = [(p.code, r) for p in checklist.of(OBJECT) for r in p.reviews if r.verdict == OBJECT]
    most = OBJECTIONS if len(against) <= OBJECTIONS else OBJECTIONS - 1
    yield from (_cut(f"    {code} ", review.text()) for code, review in against[:most])
    if against[most:]:
        yield f"    {counted(len(against) - most, 'more objection')}: compliance/audit.py has each"


def _grouped(block: Block, room: int, report: Report) -> Iterator[str]:
    """Yield the kinds of findings with examples, in at most `room` lines."""
    chosen, left = fitted(block.kinds, room)
    for kind, examples in chosen:
        size = f", {kind.size}" if kind.size else ""
        yield _colored(kind.severity, printable(f"  {kind.severity} {kind.code}{size}: {kind.sentence}"), report)
        for group in kind.groups[:examples]:
            yield _colored(kind.severity, _example(kind, group, block.path), report)
    if left:
        found = sum(len(kind.findings) for kind in left)
        codes = ", ".join(dict.fromkeys(kind.code for kind in left))
        yield _cut(f"  {left[0].severity} and less: {counted(found, 'more finding')} of ", f"{codes} (--all)")


def _example(kind: Kind, group: Group, home: str) -> str:
    """Return a line on the first finding of a group, with its path relative to the submission."""
    first, others = group.findings[0], len(group.findings) - 1
    path = first.path.removeprefix(f"{home}/") if home else first.path
    place = f" at {path}:{first.line}" if path != home else f" at line {first.line}" if first.line > 1 else ""
    more = f" and {others} more" if others else ""
    said = first.details() if first.sentence == kind.sentence else f"{first.sentence} {first.details()}".rstrip()
    return printable(f"    {kind.severity}{place}{more}: {said or first.sentence}") + _tail(first)


def _line(finding: Finding, report: Report) -> str:
    text = f"{finding.path}:{finding.line}: {finding.code} {label(finding)}: {finding.said()}"
    return _colored(told_as(finding), printable(text) + _tail(finding), report)


def _tail(finding: Finding) -> str:
    """Return in words who waived a finding, and its effect on the score."""
    waived = f" [waived by {printable(finding.waived)}]" if finding.waived else ""
    return waived + (f" [{finding.impact}]" if finding.impact else "")


def _cut(head: str, text: str) -> str:
    """Return `head`, and as much of `text` as fits on the line."""
    head, text = printable(head), printable(text)
    room = max(WIDTH - len(head), SHORTEST)
    return head + (text if len(text) <= room else f"{text[: room - 3]}...")


def _colored(severity: str, line: str, report: Report) -> str:
    return f"\x1b[{COLORS[severity]}m{line}\x1b[0m" if report.color else line


def _foot(report: Report) -> list[str]:
    """Return the last lines: options for more detail, and the state of the sandbox."""
    codes = dict.fromkeys(f.code for f in shown(report) if told_as(f) == "error")
    more = [f"--explain {','.join([*codes][:EXPLAINED])} says what is wanted and how to mend it"] if codes else []
    if not report.every and any(told_as(f) != "waived" for f in shown(report)):
        more.append("--all gives each finding with its place")
    tell = report.every or report.sandbox.startswith(ABSENT)
    lines = [f"sandbox: {report.sandbox}"] if report.sandbox and tell else []
    return [*lines, "; ".join(more)] if more else lines
