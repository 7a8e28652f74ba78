"""Write a report as Markdown for a review or pull request: a table of submissions, then findings by rule and set."""

from collections.abc import Iterator, Sequence

from compliance.finding import Finding, counted
from compliance.output.grouping import Kind, fitted, shown, tally, verdict
from compliance.output.report import ORDER, Report
from compliance.safe import markdown

ROWS = 40  # of a submission: rules, and examples beyond the first
MISSED = 10  # listed paths that could not be judged


def render(report: Report) -> str:
    """Return the page. Submitted text in it is escaped."""
    told = shown(report)
    lines = ["# Verdict", ""]
    if len(report.summaries) > 1:
        total = {name: sum(part.counts[name] for part in report.parts) for name in ORDER}
        lines += [f"All together: {tally(total) or 'nothing found'}.", ""]
    lines += ["| what | edition | logs | verdict |", "| --- | --- | --- | --- |"]
    for s, _ in told:
        if s.path:
            words = verdict(s.counts, report.chosen, logs=s.logs)
            words = f"**{words}**" if s.broken else words
            words += ", without a submission" if s.alone else ""
            words += f"; reviewed: {s.checklist.words()}" if s.checklist else ""
            lines.append(f"| {markdown(s.path)} | {s.edition} | {s.logs} | {words} |")
    for s, kinds in told:
        if kinds:
            lines += ["", f"## {markdown(s.path) or 'elsewhere'}", ""]
            lines += _groups(kinds, s.path)
    if report.missed:
        lines += ["", "## Could not be checked", "", *_missed(report)]
    return "\n".join(lines) + "\n"


def _groups(kinds: Sequence[Kind], home: str) -> Iterator[str]:
    chosen, left = fitted(kinds, ROWS)
    yield "| severity | rule | how often | what | for example |"
    yield "| --- | --- | --- | --- | --- |"
    for kind, examples, _ in chosen:
        places = "<br>".join(_example(kind, *example, home) for example in kind.examples[: max(1, examples)])
        what = markdown(kind.sentence) + (f". Fix: {kind.fix}" if kind.fix else "")
        yield f"| {kind.severity} | {kind.code} | {kind.size or 'once'} | {what} | {places} |"
    if left:
        codes = ", ".join(dict.fromkeys(kind.code for kind in left))
        found = counted(sum(kind.times for kind in left), "finding")
        yield f"| {left[0].severity} and less | {codes} | {found} | more rules | `--format text --all` |"


def _example(kind: Kind, first: Finding, others: int, home: str) -> str:
    path = first.path.removeprefix(f"{home}/") if home else first.path
    said = first.details() if first.sentence == kind.sentence else first.said()
    more = f" and {others} more" if others else ""
    return markdown(f"{path}:{first.line}{more}: {said}".removesuffix(": ")) + _tail(first)


def _tail(finding: Finding) -> str:
    """Return in words who waived a finding, and its effect on the score."""
    waived = f" (waived by {markdown(finding.waived)})" if finding.waived else ""
    return waived + (f" ({finding.impact})" if finding.impact else "")


def _missed(report: Report) -> Iterator[str]:
    yield from (f"- {markdown(path)}: {markdown(why)}" for path, why in report.missed[:MISSED])
    if report.missed[MISSED:]:
        yield f"- and {len(report.missed) - MISSED} more: `--format text --all`"
