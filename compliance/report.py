"""A verdict as people and programs are told it: the findings chosen, and a summary per submission."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compliance.assemble import ancestors
from compliance.checklist import Checklist
from compliance.finding import SEVERITIES, Finding
from compliance.rule import CHECKS, LEVELS
from compliance.verdict import LogVerdict, Verdict
from rules.edition import Edition

OF_A_SET = ("log", "set", "round")
OF_A_LOG = ("log", "round")
OF_RUNS = ("log", "set")  # levels of which few rules judge throughput-only logs


@dataclass(frozen=True)
class Summary:
    """One submission, set or log in a few numbers."""

    path: str
    edition: str
    logs: int
    rules: int  # that a program checks on what was given: on a log by itself, none of those over sets and submissions
    broken: tuple[str, ...]  # codes with an error
    counts: dict[str, int]  # findings by severity, waived ones apart under "waived"
    review: tuple[str, ...]  # codes that people must still judge
    throughput_only: int = 0  # of the logs, those that measure throughput and are no runs
    source: str = ""  # of a submission: whether it is the reference's
    sets: tuple[str, ...] = ()  # of a submission: what findings call its sets
    checklist: Checklist | None = None  # of a submission: what reviewers have said
    alone: bool = False  # a set or a log without its submission, of which not all rules can be judged

    @property
    def passed(self) -> int:
        """How many of the rules no error was found against."""
        return self.rules - len(self.broken)


@dataclass(frozen=True)
class Report:
    """What a format writes."""

    findings: tuple[Finding, ...]
    summaries: tuple[Summary, ...]
    missed: tuple[tuple[str, str], ...]
    editions: dict[str, Edition]
    exit_code: int
    color: bool = False
    every: bool = False  # text, Markdown and annotations give each finding, and not groups of them
    least: str = SEVERITIES[-1]  # ... of this severity or a worse one
    chosen: bool = False  # whether only some of the rules were asked for
    sandbox: str = ""  # in which the judge worked, in words; empty: it was not asked to


def summaries(verdict: Verdict, findings: tuple[Finding, ...], editions: dict[str, Edition]) -> tuple[Summary, ...]:
    """One summary for each submission, and for each set or log given by itself."""
    places = [(s.path, s.edition, [log for x in s.sets for log in x.logs], LEVELS) for s in verdict.submissions]
    places += [(s.path, s.edition, s.logs, OF_A_SET) for s in verdict.sets]
    places += [(log.run.path, log.edition, [log], OF_A_LOG) for log in verdict.logs]
    found = owned([path for path, *_ in places], findings)
    more = {
        s.path: {"source": s.source, "sets": tuple(x.path for x in s.sets), "checklist": s.checklist}
        for s in verdict.submissions
    }
    return tuple(
        replace(_summary(path, editions[edition], logs, levels, found[path]), **more.get(path, {"alone": True}))
        for path, edition, logs, levels in places
    )


def owners(told: tuple[Summary, ...], findings: tuple[Finding, ...]) -> dict[str, list[Finding]]:
    """The findings of each summary, by its path; those of none are under ""."""
    return owned([s.path for s in told], findings)


def owned(paths: list[str], findings: tuple[Finding, ...]) -> dict[str, list[Finding]]:
    """The findings at or below each path; those of none are under ""."""
    found: dict[str, list[Finding]] = {path: [] for path in paths} | {"": []}
    for finding in findings:
        found[next((p for p in ancestors(finding.path) if p in found), "")].append(finding)
    return found


def _summary(
    path: str, edition: Edition, logs: Sequence[LogVerdict], levels: tuple[str, ...], findings: list[Finding]
) -> Summary:
    counts = Counter("waived" if f.waived else f.severity for f in findings)
    broken = sorted({f.code for f in findings if f.severity == "error" and not f.waived})
    only = sum(log.run.throughput_only for log in logs)
    spared = OF_RUNS if only and only == len(logs) and levels != LEVELS else ()
    codes = [c for c in edition.rules if c in CHECKS]
    codes = [c for c in codes if c in edition.throughput_codes or CHECKS[c].level not in spared]
    return Summary(
        path,
        edition.name,
        len(logs),
        sum(CHECKS[code].level in levels for code in codes),
        tuple(broken),
        {name: counts.get(name, 0) for name in (*SEVERITIES, "waived")},
        tuple(code for code, rule in edition.rules.items() if rule.by_review),
        only,
    )
