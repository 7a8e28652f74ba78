"""Group findings for people: by submission, rule and set, with counts, the worst first."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compliance.finding import SEVERITIES, Finding, counted
from compliance.report import Report, Summary, owned

WAIVED = "waived"
ORDER = (*SEVERITIES, WAIVED)
MOST_WHOLE = 10  # findings of a rule that are shown one by one
MOST_SHOWN = 3  # examples of a rule with more findings, each from another set
MILD = ("warning", "info")  # of which those that most logs have are told in a line
RESULT = re.compile(r"/result_\d+\.txt$")


@dataclass(frozen=True)
class Group:
    """The findings of one rule in one set, in the order of their places; `place` is the set, "" outside of sets."""

    place: str
    findings: tuple[Finding, ...]

    @property
    def times(self) -> int:
        """The number of faults."""
        return sum(finding.times for finding in self.findings)


@dataclass(frozen=True)
class Kind:
    """The findings of one rule and severity in one submission; the set with most of them first."""

    severity: str  # or waived
    code: str
    groups: tuple[Group, ...]
    common: bool = False  # whether it is mild, and most logs have it

    @property
    def examples(self) -> list[tuple[Finding, int]]:
        """The findings to show, each with the number of others that it stands for: all of a few, else the first of
        each set."""
        if len(self.findings) <= MOST_WHOLE and not self.common:
            return [(finding, times - 1) for finding, times in Counter(self.findings).items()]
        first = [(group.findings[0], group.times - group.findings[0].times) for group in self.groups]
        return first[: 1 if self.common else MOST_SHOWN]

    @property
    def findings(self) -> list[Finding]:
        """The findings of all groups."""
        return [f for group in self.groups for f in group.findings]

    @property
    def sentence(self) -> str:
        """The sentence of the first finding."""
        return self.groups[0].findings[0].sentence

    @property
    def times(self) -> int:
        """The number of faults."""
        return sum(group.times for group in self.groups)

    @property
    def size(self) -> str:
        """The number of faults and sets in words, such as "12 times in 3 sets"; "" for a single finding."""
        total, sets = self.times, sum(bool(g.place) for g in self.groups)
        if total == 1:
            return ""
        inside = f" in {counted(sets, 'set')}" if sets else ""
        outside = " and outside" if sets and sets < len(self.groups) else ""
        return f"{total} times{inside}{outside}"


@dataclass(frozen=True)
class Block:
    """The part of a report on one submission, set or log. `summary` is None for findings outside of all of these."""

    summary: Summary | None
    kinds: tuple[Kind, ...]
    counts: dict[str, int]  # of all findings by severity; waived ones are counted apart

    @property
    def path(self) -> str:
        """The path as findings give it, "" without a summary."""
        return self.summary.path if self.summary else ""


def told_as(finding: Finding) -> str:
    """Return a finding's severity, or "waived"."""
    return WAIVED if finding.waived else finding.severity


def label(finding: Finding) -> str:
    """Return a finding's severity, with "waived" before it if a waiver covers it."""
    return f"{WAIVED} {finding.severity}" if finding.waived else finding.severity


def shown(report: Report) -> list[Finding]:
    """Return the findings of the chosen severity; all, and the waived ones, if none was chosen."""
    return [f for f in report.findings if not report.severity or told_as(f) == report.severity]


def blocks(report: Report) -> list[Block]:
    """Return a block for each summary, those with errors first, then one for findings elsewhere, if there are any."""
    paths = [summary.path for summary in report.summaries]
    every, some = owned(paths, report.findings), owned(paths, tuple(shown(report)))
    made = [Block(s, kinds(some[s.path], s, _order(report, s)), count(every[s.path])) for s in report.summaries]
    made.sort(key=lambda block: not block.counts["error"])
    if every[""]:
        made.append(Block(None, kinds(some[""]), count(every[""])))
    return made


def count(findings: Iterable[Finding]) -> dict[str, int]:
    """Return the number of faults by severity; waived ones are counted apart."""
    counts = dict.fromkeys(ORDER, 0)
    for finding in findings:
        counts[told_as(finding)] += finding.times
    return counts


def _order(report: Report, summary: Summary) -> list[str]:
    """Return the codes in the order of the edition, in which what a log says comes first, and what follows later."""
    edition = report.editions.get(summary.edition)
    return list(edition.rules) if edition else []


def kinds(findings: Iterable[Finding], summary: Summary | None = None, order: Sequence[str] = ()) -> tuple[Kind, ...]:
    """Return the findings of a submission grouped by rule and set. They are ordered by severity, then by number, then
    as in `order`."""
    sets, logs = (list(summary.sets), summary.logs) if summary else ([], 0)
    rank = {code: at for at, code in enumerate(order)}
    by_rule: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        by_rule[told_as(finding), finding.code].append(finding)
    made = []
    for (severity, code), same in by_rule.items():
        groups = [Group(place, tuple(some)) for place, some in owned(sets, tuple(same)).items() if some]
        groups.sort(key=lambda g: (-g.times, g.place))
        having = len({finding.path for finding in same if RESULT.search(finding.path)})
        made.append(Kind(severity, code, tuple(groups), severity in MILD and 1 < logs < 2 * having))
    return tuple(sorted(made, key=lambda k: (ORDER.index(k.severity), -k.times, rank.get(k.code, len(rank)), k.code)))


def fitted(kinds: Sequence[Kind], room: int) -> tuple[list[tuple[Kind, int]], list[Kind]]:
    """Return the kinds to show, each with its number of examples, and the kinds left out.

    A kind takes one line, and each example another; one that is common takes one line alone. Together with a line for
    what is left out, they fit into `room` lines. Each kind gets its line first, then each its first example, and so on,
    the worst first.
    """
    most = len(kinds) if len(kinds) <= room else max(0, room - 1)
    chosen, left = list(kinds[:most]), room - most - (most < len(kinds))
    examples = [0] * most
    for round_ in range(MOST_WHOLE):
        for index, kind in enumerate(chosen):
            if left > 0 and len(kind.examples) > round_ and not kind.common:
                examples[index] += 1
                left -= 1
    return list(zip(chosen, examples, strict=True)), list(kinds[most:])


def verdict(counts: dict[str, int], chosen: bool = False, objections: int = 0, logs: int = 1) -> str:
    """Return the verdict in words. `chosen`: only some rules were selected, which the verdict says. `objections` are
    the reviewers'. Without `logs`, nothing is in order yet."""
    read = [counted(counts[name], name) for name in ("review", "warning") if counts[name]]
    tail = f", with {' and '.join(read)} to read" if read else ""
    tail += f", {counts[WAIVED]} waived" if counts[WAIVED] else ""
    tail += f", {counted(objections, 'objection')} by reviewers" if objections else ""
    right = "in order" if logs else "no runs yet, and nothing wrong so far"
    head = f"not in order: {counted(counts['error'], 'error')}" if counts["error"] else right
    return f"{'of the rules chosen: ' if chosen else ''}{head}{tail}"


def tally(counts: dict[str, int]) -> str:
    """Return the counts in words, such as "2 errors, 1 info"."""
    known = {"info": "info", WAIVED: WAIVED}
    return ", ".join(f"{n} {known[name]}" if name in known else counted(n, name) for name, n in counts.items() if n)
