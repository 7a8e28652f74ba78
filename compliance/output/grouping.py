"""Group findings for people: by submission, rule and set, with counts, the worst first."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from compliance.finding import Finding, counted
from compliance.output.report import ORDER, WAIVED, Report, Summary, owned, told_as
from compliance.reading.digest import CRLF
from rules.text import Rule

MOST_WHOLE = 10  # findings of a rule that are shown one by one
MOST_SHOWN = 3  # examples of a rule with more findings, each from another set
FIRST = ("RUN05", "RUN06", "LED03", "LED06", "SRC03", "CODE05")  # another's file, or an edited one; the mathematics
CAUSES = ("RUN05", "LED03", "LED06", "SRC03")  # the file is not as its run left it: what else is wrong may follow
# rule -> the one whose error in the same set it may follow from
CAUSE_IN_SET = {"ENV10": "RUN01", "ENV13": "LED03", "REG06": "LED01"}
COPY = "copy these files and the logs again without a change of their line endings, such as git's core.autocrlf makes"
PLACES = "TREE"  # the family of the rules on where files lie
MILD = ("warning", "info")  # of which those that most logs have are told in a line, and which need no fix
MANIFEST = re.compile(r"/environment_(\d+)(?:_\d+)?\.json$")
RESULT = re.compile(r"/result_\d+\.txt$")


@dataclass(frozen=True)
class Kind:
    """The findings of one rule and severity in one submission. `groups` has those of each set, the set with most of
    them first, and those outside of sets."""

    severity: str  # or waived
    code: str
    groups: tuple[tuple[Finding, ...], ...]
    sets: int = 0  # the number of groups that are of sets
    common: bool = False  # whether it is mild, and most logs have it
    fix: str = ""  # what to do, in the words of the rule's text
    cause: str = ""  # the rule whose error is to be fixed first, since this may follow from it

    @property
    def examples(self) -> list[tuple[Finding, int]]:
        """The findings to show, each with the number of others that it stands for: all of a few, else the first of
        each set."""
        if len(self.findings) <= MOST_WHOLE and not self.common:
            return [(finding, 0) for finding in self.findings]
        first = [(group[0], times_of(group) - group[0].times) for group in self.groups]
        return first[: 1 if self.common else MOST_SHOWN]

    @property
    def findings(self) -> list[Finding]:
        """The findings of all groups."""
        return [finding for group in self.groups for finding in group]

    @property
    def sentence(self) -> str:
        """The sentence of the first finding."""
        return self.groups[0][0].sentence

    @property
    def times(self) -> int:
        """The number of faults."""
        return times_of(self.findings)

    @property
    def size(self) -> str:
        """The number of faults and sets in words, such as "12 times in 3 sets"; "" for a single finding."""
        total = self.times
        if total == 1:
            return ""
        inside = f" in {counted(self.sets, 'set')}" if self.sets else ""
        outside = " and outside" if 0 < self.sets < len(self.groups) else ""
        return f"{total} times{inside}{outside}"


def label(finding: Finding) -> str:
    """Return a finding's severity, with "waived" before it if a waiver covers it."""
    return f"{WAIVED} {finding.severity}" if finding.waived else finding.severity


def shown(report: Report) -> list[tuple[Summary, tuple[Kind, ...]]]:
    """Return each part of the report with its findings of the chosen severity; with all, if none was chosen. Codes are
    in the order of the edition, in which what a log says comes first, and what follows later."""
    made = []
    for part in report.parts:
        found = [f for f in part.findings if not report.severity or told_as(f) == report.severity]
        rules = report.editions[part.edition].rules if part.edition in report.editions else {}
        made.append((part, kinds(found, part, rules)))
    return made


def times_of(findings: Iterable[Finding]) -> int:
    """Return the number of faults that findings stand for."""
    return sum(finding.times for finding in findings)


def kinds(
    findings: Iterable[Finding], summary: Summary | None = None, rules: Mapping[str, Rule] | None = None
) -> tuple[Kind, ...]:
    """Return the findings of a submission grouped by rule and set, ordered by severity. Of errors, copied runs and
    wrong places come first, since others follow from them, then all as in `rules`; the rest is ordered by number."""
    sets, logs = (list(summary.sets), summary.logs) if summary else ([], 0)
    found, texts = list(findings), rules or {}
    wrong = [f for f in found if told_as(f) == "error"]
    rank = {code: at for at, code in enumerate(texts)}
    by_rule: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in sorted(found, key=lambda finding: finding.times):  # what stands for others comes last
        by_rule[told_as(finding), finding.code].append(finding)
    made = []
    for (severity, code), same in by_rule.items():
        places = {place: tuple(some) for place, some in owned(sets, tuple(same)).items() if some}
        groups = tuple(places[place] for place in sorted(places, key=lambda place: (-times_of(places[place]), place)))
        having = len({finding.path for finding in same if RESULT.search(finding.path)})
        common = severity in MILD and 1 < logs < 2 * having
        fix = texts[code].fix if code in texts and severity not in (*MILD, WAIVED) else ""
        cause = cause_of(code, same, wrong) if fix else ""
        fix = f"first fix {cause}: this may come from the same change" if cause else fix
        fix = COPY if fix and all(CRLF in f.found for f in same) else fix
        made.append(Kind(severity, code, groups, len(places.keys() - {""}), common, fix, cause))

    def place(kind: Kind) -> tuple[int, bool, int, int, str]:
        at = rank.get(kind.code, len(rank))
        wrong = kind.severity == "error"
        first = (kind.code in FIRST and not kind.cause) or (wrong and kind.code.startswith(PLACES))
        return ORDER.index(kind.severity), not first, 0 if wrong else -kind.times, at, kind.code

    return tuple(sorted(made, key=place))


def cause_of(code: str, findings: Sequence[Finding], wrong: Iterable[Finding]) -> str:
    """Return the rule of an error from which all findings of a rule may follow, "" for none: an error in the same log
    (which a manifest belongs to), or in the same set."""
    files: dict[str, set[str]] = defaultdict(set)
    sets: dict[str, set[str]] = defaultdict(set)
    for error in wrong:
        files[error.path].add(error.code)
        sets[set_of(error.path)].add(error.code)
    for cause in CAUSES[: CAUSES.index(code)] if code in CAUSES else CAUSES:
        if all(cause in files[f.path] | files[MANIFEST.sub(r"/result_\1.txt", f.path)] for f in findings):
            return cause
    cause = CAUSE_IN_SET.get(code, "")
    return cause if cause and all(cause in sets[set_of(finding.path)] for finding in findings) else ""


def set_of(path: str) -> str:
    """Return the folder of a file, or a folder itself. Names of folders of sets have no dot."""
    above, _, name = path.rpartition("/")
    return above if "." in name else path


def fitted(kinds: Sequence[Kind], room: int) -> tuple[list[tuple[Kind, int, bool]], list[Kind]]:
    """Return the kinds to show, each with its number of examples and whether its fix is shown, and the kinds left out.

    A kind takes one line, and its fix and each example another; one that is common takes one line alone. Together with
    a line for what is left out, they fit into `room` lines. Each kind gets its line first, then each its first example,
    its fix, and further examples, the worst first.
    """
    most = len(kinds) if len(kinds) <= room else max(0, room - 1)
    chosen, left = list(kinds[:most]), room - most - (most < len(kinds))
    below = [0] * most
    for round_ in range(MOST_WHOLE + 1):
        for index, kind in enumerate(chosen):
            if left > 0 and len(kind.examples) + bool(kind.fix) > round_ and not kind.common:
                below[index] += 1
                left -= 1
    fixes = [lines > 1 and bool(kind.fix) for kind, lines in zip(chosen, below, strict=True)]
    shown = zip(chosen, below, fixes, strict=True)
    return [(kind, lines - fix, fix) for kind, lines, fix in shown], list(kinds[most:])


def verdict(counts: dict[str, int], chosen: bool = False, objections: int = 0, logs: int = 1) -> str:
    """Return the verdict in words. `chosen`: only some rules were selected, which the verdict says. `objections` are
    the reviewers'. Without `logs`, nothing has passed yet."""
    read = [counted(counts[name], name) for name in ("review", "warning") if counts[name]]
    tail = f", with {' and '.join(read)} to read" if read else ""
    tail += f", {counts[WAIVED]} waived" if counts[WAIVED] else ""
    tail += f", {counted(objections, 'objection')} by reviewers" if objections else ""
    right = "passed" if logs else "no runs yet, and nothing wrong so far"
    head = f"failed: {counted(counts['error'], 'error')}" if counts["error"] else right
    return f"{'of the rules chosen: ' if chosen else ''}{head}{tail}"


def tally(counts: dict[str, int]) -> str:
    """Return the counts in words, such as "2 errors, 1 info"."""
    known = {"info": "info", WAIVED: WAIVED}
    return ", ".join(f"{n} {known[name]}" if name in known else counted(n, name) for name, n in counts.items() if n)
