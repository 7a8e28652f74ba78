"""Write a report as text for people: totals and errors, then the findings of each submission and its verdict, and
at the end what to do next. Up to ten findings of a rule stand whole.

With `every`, each finding has a line of its own: `path:line: CODE severity: sentence`.
"""

import re
from collections.abc import Iterator, Sequence

from compliance.finding import Finding, counted
from compliance.output.grouping import RESULT, Kind, fitted, label, shown, tally, verdict
from compliance.output.report import ORDER, Report, Summary, told_as
from compliance.reviewing.checklist import OBJECT, OPEN
from compliance.safe import printable

COLORS = {"error": "31", "warning": "33", "review": "36", "info": "2", "waived": "2"}
SCREEN = 60  # lines of a submission
HEAD = 5  # lines on errors, and as many on the other kinds of findings, ahead of all submissions
MISSED = 3  # listed paths that could not be judged, ahead of all submissions
EXPLAINED = 10  # codes after --explain
DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")  # whole with --all, and for programs

NEVER = (
    "Never edit a log. Where no fix says otherwise, copy it again if it differs from what its run wrote; "
    "if it doesn't, repeat the run, as submit.py does with --run N --anew"
)
RENAMED = "LED03"  # to give a log its name back is enough, and to edit it isn't needed

Told = Sequence[tuple[Summary, Sequence[Kind]]]
Line = tuple[str, str]  # the severity whose color it has, "" for none; the text


def render(report: Report) -> str:
    """Return the text, with one finding or group of findings a line."""
    told = shown(report)
    parts = [[*_head(report, told), *_missed(report)]]
    parts += [_part(summary, kinds, report) for summary, kinds in told]
    parts.append([("", line) for line in _foot(report, told)])
    return "\n\n".join("\n".join(_written(*line, report.color) for line in lines) for lines in parts if lines) + "\n"


def _written(severity: str, text: str, color: bool) -> str:
    text = printable(text)
    return f"\x1b[{COLORS[severity]}m{text}\x1b[0m" if color and severity else text


def _head(report: Report, told: Told) -> Iterator[Line]:
    """Yield the head of a report on several submissions, sets or logs: how many passed, the counts of findings, and the
    kinds of errors, and of findings for review and warnings."""
    if len(report.summaries) < 2:
        return
    counts = {name: sum(summary.counts[name] for summary, _ in told) for name in ORDER}
    wrong = sum(bool(summary.counts["error"]) or not summary.logs for summary in report.summaries)
    logs = sum(s.logs for s in report.summaries)
    passed = f"{len(report.summaries) - wrong} of {len(report.summaries)} passed"
    yield "", f"{passed}, {counted(logs, 'log')}: {tally(counts) or 'nothing found'}"
    for severities in (("error",), ("review", "warning")):
        some = [(s.path, k) for severity in severities for s, kinds in told for k in kinds if k.severity == severity]
        most = HEAD if len(some) <= HEAD else HEAD - 1
        for path, kind in some[:most]:
            yield kind.severity, _titled(kind, f" in {path or kind.findings[0].path}")
        if some[most:]:
            named = " and ".join(dict.fromkeys(kind.severity for _, kind in some[most:]))
            more = f"  {named}: {counted(len(some) - most, 'more rule')}, each below its submission"
            yield some[most][1].severity, more


def _titled(kind: Kind, where: str = "") -> str:
    size = f", {kind.size}" if kind.size else ""
    return f"  {kind.severity} {kind.code}{where}{size}: {kind.sentence}"


def _missed(report: Report) -> Iterator[Line]:
    most = len(report.missed) if report.every else MISSED
    yield from (("error", f"{path}: error: could not be checked: {why}") for path, why in report.missed[:most])
    if report.missed[most:]:
        rest = counted(len(report.missed) - most, "more place")
        yield "error", f"error: {rest} could not be checked (--all)"


def _part(summary: Summary, kinds: Sequence[Kind], report: Report) -> list[Line]:
    objections = len(summary.checklist.of(OBJECT)) if summary.checklist else 0
    passed = verdict(summary.counts, report.chosen, objections, summary.logs if summary.path else 1)
    top = ("", _title(summary))
    bottom = [*(("", line) for line in _about(summary)), ("error" if summary.counts["error"] else "", f"  {passed}")]
    if report.every:
        lines = [(told_as(f), _line(f)) for kind in kinds for f in kind.findings]
    else:
        lines = list(_grouped(kinds, summary.path, SCREEN - 1 - len(bottom)))
    return [top, *lines, *bottom]


def _title(summary: Summary) -> str:
    if not summary.path:
        return "elsewhere"
    logs = counted(summary.logs, "log")
    if summary.throughput_only:
        which = "" if summary.throughput_only == summary.logs else f"{summary.throughput_only} of them "
        logs += f" ({which}throughput-only: no scored run)"
    alone = ", without a submission" if summary.alone else ""
    return f"{summary.path}: {logs}, checked by the rules {summary.edition}{alone}"


def _about(summary: Summary) -> Iterator[str]:
    if summary.source:
        yield f"  source: {summary.source}"
    if summary.checklist:
        still = ", ".join(point.code for point in summary.checklist.of(OPEN))
        yield f"  reviewed: {summary.checklist.words()}" + (f"; open: {still}" if still else "")
    elif summary.review and not summary.counts["error"]:
        yield f"  reviewers judge {counted(len(summary.review), 'point')} that no program can check"


def _grouped(kinds: Sequence[Kind], home: str, room: int) -> Iterator[Line]:
    """Yield the kinds of findings with examples, in at most `room` lines."""
    chosen, left = fitted(kinds, room)
    for kind, examples, fix in chosen:
        head = _titled(kind)
        if kind.common:
            first = kind.examples[0][0]
            head += f" (such as {_place(first, home)}: {first.details() or first.sentence})"
        yield kind.severity, head
        for finding, others in kind.examples[:examples]:
            yield kind.severity, _example(kind, finding, others, home)
        if fix:
            yield "", f"    fix: {kind.fix}"
    if left:
        found = sum(kind.times for kind in left)
        codes = ", ".join(dict.fromkeys(kind.code for kind in left))
        yield "", f"  {left[0].severity} and less: {counted(found, 'more finding')} of {codes} (--all)"


def _example(kind: Kind, finding: Finding, others: int, home: str) -> str:
    """Return a line on a finding, with its path relative to the submission."""
    place = _place(finding, home)
    more = f" and {others} more" if others else ""
    said = finding.said()
    if finding.sentence == kind.sentence:
        said = "" if said == kind.sentence and place else finding.details() or said
    said = DIGEST.sub(r"\1...", said.replace(f"{home}/", "") if home else said)
    at = f"    {kind.severity}{f' at {place}' if place else ''}{more}"
    return (f"{at}: {said}" if said else at) + _tail(finding, told=not kind.cause)


def _place(finding: Finding, home: str) -> str:
    """Return `path:line` relative to the submission, or log; "" for all of it."""
    if finding.path == home:
        return f"line {finding.line}" if finding.line > 1 else ""
    line = f":{finding.line}" if finding.line > 1 else ""
    return f"{finding.path.removeprefix(f'{home}/') if home else finding.path}{line}"


def _line(finding: Finding) -> str:
    return f"{finding.path}:{finding.line}: {finding.code} {label(finding)}: {finding.said()}{_tail(finding)}"


def _tail(finding: Finding, told: bool = True) -> str:
    """Return in words who waived a finding and, if it is to be `told`, the effect on the score."""
    waived = f" [waived by {finding.waived}]" if finding.waived else ""
    return waived + (f" [{finding.impact}]" if finding.impact and told else "")


def _foot(report: Report, told: Told) -> Iterator[str]:
    """Yield the last lines: the state of the sandbox, what to do next, and options for more detail."""
    if report.sandbox and (report.every or report.exposed):
        yield f"sandbox: {report.sandbox}"
    yield from (f"{word}: {step}" for word, step in zip(("next", "then", "then"), _steps(report, told), strict=False))
    if any(_is_in_a_log(kind) for _, kinds in told for kind in kinds):
        yield NEVER
    if not report.every and any(_shortened(kinds) for _, kinds in told):
        yield "with --all, check.py gives each finding with its place"


def _is_in_a_log(kind: Kind) -> bool:
    """Return whether errors are in logs, and more than a log's name is wrong."""
    wrong = kind.severity == "error" and RENAMED not in (kind.code, kind.cause)
    return wrong and any(RESULT.search(finding.path) for finding in kind.findings)


def _shortened(kinds: Sequence[Kind]) -> bool:
    """Return whether the groups of a submission may leave out a finding, or a part of one."""
    whole = sum(2 + len(kind.examples) for kind in kinds) < SCREEN - 5 and not any(kind.common for kind in kinds)
    return not whole or any(others for kind in kinds for _, others in kind.examples)


def _steps(report: Report, told: Told) -> Iterator[str]:
    """Yield what to do, the first thing first."""
    errors, reviews = ([k for _, kinds in told for k in kinds if k.severity == name] for name in ("error", "review"))
    if report.missed:
        yield f"see above why {counted(len(report.missed), 'place')} could not be checked"
    if errors:
        causes = " and ".join(dict.fromkeys(kind.cause for kind in errors if kind.cause))
        what = f"{causes} first" if causes else _number(errors, "error")
        yield f"fix {what} and check again; {_explain(errors)} says more"
    elif reviews:
        judged = f"a person judges {_number(reviews, 'review')}; {_explain(reviews)} says more"
        yield f"explain in sw_notes where a fix says so, and hand it in; {judged}"
    if not (report.missed or errors or reviews or report.severity):
        path = next((s.path for s in report.summaries if s.review and s.logs and not (s.checklist or s.alone)), "")
        if path:
            yield f"look at what no program can check, as reviewers will: python compliance/audit.py {path} lists it"


def _number(kinds: list[Kind], what: str) -> str:
    number = sum(kind.times for kind in kinds)
    return f"the {what}" if number == 1 else f"the {number} {what}s"


def _explain(kinds: list[Kind]) -> str:
    codes = [*dict.fromkeys(kind.code for kind in kinds)]
    return f"python compliance/check.py --explain {','.join(codes[:EXPLAINED])}"
