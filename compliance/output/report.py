"""The report on a verdict: the chosen findings, and a summary of each submission."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from compliance.finding import SEVERITIES, Finding, ancestors, errors
from compliance.reviewing.checklist import Checklist
from compliance.rule import CHECKS, LEVELS, STEPS
from compliance.verdict import LogVerdict, Verdict
from rules.edition import Edition

OF_A_SET = ("log", "set", "round")
OF_A_LOG = ("log", "round")
OF_RUNS = ("log", "set")  # levels of which few rules judge throughput-only logs
WAIVED = "waived"
ORDER = (*SEVERITIES, WAIVED)


@dataclass(frozen=True)
class Summary:
    """One submission, set or log with its findings. `source`, `sets` and `checklist` are for submissions only. Without
    a path, it stands for the findings outside of all that was judged."""

    path: str
    edition: str
    logs: int
    rules: int  # that were checked: for a log by itself, without those on sets and submissions
    findings: tuple[Finding, ...]
    review: tuple[str, ...] = ()  # codes that people must still judge
    throughput_only: int = 0  # logs that measure throughput and are no runs
    source: str = ""  # whether it is the reference's
    sets: tuple[str, ...] = ()  # paths of its sets
    checklist: Checklist | None = None  # with what reviewers said
    alone: bool = False  # a set or a log without its submission, for which some rules can't be checked

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of faults by severity; waived ones are counted apart."""
        counts = dict.fromkeys(ORDER, 0)
        for finding in self.findings:
            counts[told_as(finding)] += finding.times
        return counts

    @cached_property
    def broken(self) -> tuple[str, ...]:
        """The codes with an error, sorted."""
        return tuple(sorted({f.code for f in errors(self.findings)}))

    @property
    def passed(self) -> int:
        """The number of checked rules without an error."""
        return self.rules - len(self.broken)


@dataclass(frozen=True)
class Report:
    """The input of every output format. `findings` are all, in the order of places."""

    findings: tuple[Finding, ...]
    summaries: tuple[Summary, ...]
    missed: tuple[tuple[str, str], ...]
    editions: dict[str, Edition]
    exit_code: int
    color: bool = False
    every: bool = False  # text lists each finding instead of groups
    severity: str = ""  # the one severity that these show; "" for all
    chosen: bool = False  # whether --select or --ignore restricted the rules
    sandbox: str = ""  # the checker's sandbox in words; "" if none was asked for
    exposed: bool = False  # whether a sandbox was asked for, and there is none

    @property
    def parts(self) -> list[Summary]:
        """The summaries, those with errors first, then one of the findings elsewhere, if there are any."""
        elsewhere = tuple(owned([summary.path for summary in self.summaries], self.findings)[""])
        parts = sorted(self.summaries, key=lambda summary: not summary.counts["error"])
        return [*parts, Summary("", "", 0, 0, elsewhere)] if elsewhere else parts


def told_as(finding: Finding) -> str:
    """Return a finding's severity, or "waived"."""
    return WAIVED if finding.waived else finding.severity


def summaries(
    verdict: Verdict, editions: dict[str, Edition], checklists: Mapping[str, Checklist] | None = None
) -> tuple[Summary, ...]:
    """Return a summary for each submission, and for each set or log given by itself, with the findings there.
    `checklists` are reviewers', by the path of the submission."""
    paths = [s.path for s in verdict.submissions] + [runs.path for runs in verdict.sets]
    found = owned([*paths, *(log.run.path for log in verdict.logs)], verdict.findings)

    def summary(path: str, name: str, logs: Sequence[LogVerdict], levels: tuple[str, ...], **more: Any) -> Summary:
        rules = editions[name].rules
        only = sum(log.run.throughput_only for log in logs)
        spared = OF_RUNS if only and only == len(logs) and levels != LEVELS else ()
        checks = [CHECKS[code] for code in rules if code in CHECKS]
        count = sum(c.level in levels and (c.on >= STEPS or c.level not in spared) for c in checks)
        review = tuple(code for code, rule in rules.items() if rule.by_review)
        return Summary(path, name, len(logs), count, tuple(found[path]), review, only, **more)

    made = []
    for one in verdict.submissions:
        sets, listed = tuple(runs.path for runs in one.sets), (checklists or {}).get(one.path)
        logs = [log for runs in one.sets for log in runs.logs]
        made.append(summary(one.path, one.edition, logs, LEVELS, source=one.source, sets=sets, checklist=listed))
    made += [summary(runs.path, runs.edition, runs.logs, OF_A_SET, alone=True) for runs in verdict.sets]
    made += [summary(log.run.path, log.edition, [log], OF_A_LOG, alone=True) for log in verdict.logs]
    return tuple(made)


def owned(paths: list[str], findings: tuple[Finding, ...]) -> dict[str, list[Finding]]:
    """Return the findings at or below each of the paths; all others are under ""."""
    found: dict[str, list[Finding]] = {path: [] for path in (*paths, "")}
    for finding in findings:
        found[next((p for p in ancestors(finding.path) if p in found), "")].append(finding)
    return found
