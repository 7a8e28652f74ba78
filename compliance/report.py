"""The report on a verdict: the chosen findings, and a summary of each submission."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compliance.checklist import Checklist
from compliance.finding import SEVERITIES, Finding, ancestors
from compliance.rule import CHECKS, LEVELS, STEPS
from compliance.verdict import LogVerdict, Verdict
from rules.edition import Edition

OF_A_SET = ("log", "set", "round")
OF_A_LOG = ("log", "round")
OF_RUNS = ("log", "set")  # levels of which few rules judge throughput-only logs


@dataclass(frozen=True)
class Summary:
    """One submission, set or log in a few numbers. `source`, `sets` and `checklist` are for submissions only."""

    path: str
    edition: str
    logs: int
    rules: int  # that were checked: for a log by itself, without those on sets and submissions
    broken: tuple[str, ...]  # codes with an error
    counts: dict[str, int]  # findings by severity; waived ones under "waived"
    review: tuple[str, ...]  # codes that people must still judge
    throughput_only: int = 0  # logs that measure throughput and are no runs
    source: str = ""  # whether it is the reference's
    sets: tuple[str, ...] = ()  # paths of its sets
    checklist: Checklist | None = None  # with what reviewers said
    alone: bool = False  # a set or a log without its submission, for which some rules can't be checked

    @property
    def passed(self) -> int:
        """The number of checked rules without an error."""
        return self.rules - len(self.broken)


@dataclass(frozen=True)
class Report:
    """The input of every output format."""

    findings: tuple[Finding, ...]
    summaries: tuple[Summary, ...]
    missed: tuple[tuple[str, str], ...]
    editions: dict[str, Edition]
    exit_code: int
    color: bool = False
    every: bool = False  # text, Markdown and annotations list each finding instead of groups
    severity: str = ""  # the one severity that these show; "" for all
    chosen: bool = False  # whether --select or --ignore restricted the rules
    sandbox: str = ""  # the checker's sandbox in words; "" if none was asked for


def summaries(verdict: Verdict, findings: tuple[Finding, ...], editions: dict[str, Edition]) -> tuple[Summary, ...]:
    """Return a summary for each submission, and for each set or log given by itself."""
    places: list[tuple[str, str, Sequence[LogVerdict], tuple[str, ...]]]
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


def owned(paths: list[str], findings: tuple[Finding, ...]) -> dict[str, list[Finding]]:
    """Return the findings at or below each of the paths; all others are under ""."""
    found: dict[str, list[Finding]] = {path: [] for path in (*paths, "")}
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
    codes = [c for c in codes if CHECKS[c].on >= STEPS or CHECKS[c].level not in spared]
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
