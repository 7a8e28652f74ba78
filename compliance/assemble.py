"""Findings put together: each goes to the log, set or submission at whose path it is."""

import functools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from compliance.discover import Set
from compliance.finding import Finding
from compliance.verdict import LogVerdict, SetVerdict, SubmissionVerdict, Verdict


def assemble(units: Sequence[Any], judged: dict, extra: list[Finding], missed: list[tuple[str, str]]) -> Verdict:
    """The verdict. `judged`: name of a log -> (facts, findings); `extra`: findings beyond single logs; `missed`:
    (path, why) of what couldn't be looked at."""
    at: dict[str, list[Finding]] = defaultdict(list)
    for finding in [f for _, findings in judged.values() for f in findings] + extra:
        at[finding.path].append(finding)
    everything = tuple(sorted((f for fs in at.values() for f in fs), key=sort_key))
    names = {unit.submission.name for unit in units if unit.submission}
    owner = functools.cache(lambda path: next((p for p in ancestors(path) if p in names), None))

    def log(name: str, edition: str) -> LogVerdict:
        return LogVerdict(judged[name][0], tuple(sorted(at.pop(name, ()), key=sort_key)), edition)

    def runs(s: Set, edition: str) -> SetVerdict:
        logs = tuple(log(x.name, edition) for x in s.logs)
        return SetVerdict(s.name, s.system, s.scaling, s.benchmark, edition, logs, tuple(at.pop(s.name, ())))

    told = [(unit, tuple(runs(s, unit.edition.name) for s in unit.sets)) for unit in units]
    logs = tuple(log(u.log.name, u.edition.name) for u in units if u.log)
    own: dict[str | None, list[Finding]] = defaultdict(list)
    for finding in everything:
        if finding.path in at:
            own[owner(finding.path)].append(finding)
    submissions = tuple(
        SubmissionVerdict(u.submission.name, u.submission.org, u.edition.name, sets, tuple(own[u.submission.name]))
        for u, sets in told
        if u.submission
    )
    alone = tuple(s for unit, sets in told if not unit.submission for s in sets)
    editions = tuple(sorted({u.edition.name for u in units}))
    return Verdict(submissions, alone, logs, everything, tuple(missed), editions)


def ancestors(path: str) -> list[str]:
    """A path and every folder above it, nearest first."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]


def sort_key(finding: Finding) -> tuple:
    """Findings in the order of their places."""
    return (finding.path, finding.line, finding.code, finding.found)
