"""Build the verdict: assign each finding to the log, set or submission at whose path it lies."""

import functools
import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from benchmark.run.files import LEDGER
from benchmark.tree import THROUGHPUT
from benchmark.tuning.campaign import FILE as CAMPAIGN
from compliance.finding import Finding, ancestors, sort_key
from compliance.reading.run import Run
from compliance.reading.tree import Set
from compliance.rule import CHECKS
from compliance.verdict import LogVerdict, SetVerdict, SubmissionVerdict, Verdict
from rules.edition import Edition

STRAY = ("TREE06", "TREE09")
MIXED = "THR03"

Whom = tuple[str, str | None, str | None]  # whom findings concern: a submission, a system, a benchmark


def assemble(
    units: Sequence[Any],
    judged: Mapping[str, tuple[Run, list[Finding]]],
    extra: list[Finding],
    missed: list[tuple[str, str]],
    origins: Mapping[str, str] = MappingProxyType({}),
) -> Verdict:
    """Return the verdict on `units`.

    `judged` maps the name of a log to its run and findings. `extra` are the findings that belong to no single log.
    `missed` holds (path, why) of what could not be judged. `origins` maps the name of a submission to the sentence on
    whether its source is the reference's.
    """
    at: dict[str, list[Finding]] = defaultdict(list)
    for finding in [f for _, findings in judged.values() for f in findings] + extra:
        at[finding.path].append(finding)
    everything = tuple(sorted((f for fs in at.values() for f in fs), key=sort_key))
    names = {unit.submission.name for unit in units if unit.submission}
    owner = functools.cache(lambda path: next((p for p in ancestors(path) if p in names), None))
    sets = [s for unit in units for s in unit.sets]
    inside = {name for s in sets for name in own(s)}
    well_laid = [s for s in sets if not wrong_place(at.get(s.name, ()))]
    in_place = {name for s in well_laid for name in own(s)}
    outside: dict[str | None, list[Finding]] = defaultdict(list)  # findings in no set, by submission
    # These, and those in misplaced sets, by submission and by the system and benchmark that they concern:
    around: dict[Whom, list[tuple[int, Finding]]] = defaultdict(list)
    edition_of = {unit.submission.name: unit.edition for unit in units if unit.submission}
    for number, finding in enumerate(everything):
        if finding.path not in inside:
            outside[owner(finding.path)].append(finding)
        if finding.path not in in_place:
            home = owner(finding.path)
            if home is not None and (whom := concerned(finding, home, edition_of[home])):
                around[home, *whom].append((number, finding))

    def log(name: str, edition: str) -> LogVerdict:
        return LogVerdict(judged[name][0], tuple(sorted(at.get(name, ()), key=sort_key)), edition)

    @functools.cache  # one tuple for all sets of a system and a benchmark
    def shared(home: str, system: str, benchmark: str) -> tuple[tuple[Finding, ...], frozenset[str]]:
        found = about(around, home, system, benchmark)
        return tuple(found), frozenset(f.path for f in found)

    def others(home: str, system: str, benchmark: str, mine: set[str]) -> tuple[Finding, ...]:
        found, paths = shared(home, system, benchmark)
        return found if mine.isdisjoint(paths) else tuple(f for f in found if f.path not in mine)

    def runs(unit: Any, s: Set) -> SetVerdict:
        home, edition = unit.submission.name if unit.submission else "", unit.edition
        description, every = unit.descriptions.get(s.system), [judged[x.name][0] for x in s.logs]
        benchmark = benchmark_of(s, every, edition)
        known, mine = edition.benchmarks.get(benchmark), set(own(s))
        return SetVerdict(
            path=s.name,
            folder=s.path,
            round=s.place.round,
            org=s.place.org,
            system=s.system,
            scaling=s.scaling,
            benchmark=benchmark or s.benchmark,
            edition=edition.name,
            required=known.runs if known else None,
            logs=tuple(log(x.name, edition.name) for x in s.logs),
            findings=tuple(f for name in files_of(s) for f in at.get(name, ())),
            description=(description.data or {}) if description else {},
            submission=home,
            about=others(home, s.system, s.benchmark, mine) if home else (),
            campaign=s.place.campaign,
            confirmation=s.place.confirmation,
            unjudged=unjudged(s, home, at.get(s.name, ()), known is not None, every),
        )

    told = [(unit, tuple(runs(unit, s) for s in unit.sets)) for unit in units]
    logs = tuple(log(u.log.name, u.edition.name) for u in units if u.log)
    submissions = tuple(
        SubmissionVerdict(s.name, s.org, u.edition.name, sets, tuple(outside[s.name]), origins.get(s.name, ""))
        for u, sets in told
        if (s := u.submission)
    )
    alone = tuple(s for unit, sets in told if not unit.submission for s in sets)
    editions = tuple(sorted({u.edition.name for u in units}))
    return Verdict(submissions, alone, logs, everything, tuple(missed), editions)


def files_of(s: Set) -> list[str]:
    """Return the paths, as findings give them, of a set, its ledger and, if it has trials, its campaign."""
    return [s.name, *(f"{s.name}/{name}" for name in (LEDGER, *([CAMPAIGN] if s.trials else [])))]


def own(s: Set) -> list[str]:
    """Return these paths and those of the set's logs."""
    return [*files_of(s), *(log.name for log in s.logs)]


def gates() -> frozenset[str]:
    """Return the codes of the gate checks: after an error of one of these, a log is judged no further."""
    return frozenset(check.code for check in CHECKS.values() if check.gate)


def unjudged(s: Set, home: str, findings: Sequence[Finding], known: bool, every: Sequence[Run]) -> str:
    """Return why a set was not judged by all rules, "" if it was. Pruned runs may fail a gate check."""
    stopped = [(run.path, code) for run in every if not run.pruned for code in sorted(run.codes & gates())]
    if not home and s.path != s.given:
        return "its logs are in no submission"
    if wrong_place(findings):
        return f"it lies in the wrong place ({wrong_place(findings)})"
    if not known:
        return "the rules know no such benchmark"
    if s.scaling == THROUGHPUT and not all(run.throughput_only for run in every):
        return f"it has runs among logs that measure throughput alone ({MIXED})"
    return f"{stopped[0][0]} could not be judged further ({stopped[0][1]})" if stopped else ""


def wrong_place(findings: Sequence[Finding]) -> str:
    """Return the code of the TREE error that says that a set is misplaced, or "". A misplaced set is judged no further,
    even if a waiver covers the error."""
    return next((f.code for f in findings if f.severity == "error" and CHECKS[f.code].level == "tree"), "")


def benchmark_of(runs: Set, every: Sequence[Run], edition: Edition) -> str:
    """Return the benchmark that a set's folder names, or else the one that all its runs log. Return "" if the edition
    does not know it, or the runs differ."""
    if runs.benchmark:
        return runs.benchmark if runs.benchmark in edition.benchmarks else ""
    names = {run.benchmark for run in every if run.codes.isdisjoint(gates())}
    return names.pop() if len(names) == 1 else ""


def about(around: Mapping[Whom, list[tuple[int, Finding]]], home: str, system: str, benchmark: str) -> list[Finding]:
    """Return the findings outside all correctly placed sets that concern the sets of a system and a benchmark."""
    whom = [(home, s, b) for s in (None, system) for b in (None, benchmark)]
    found = sorted(itertools.chain(*(around.get(key, ()) for key in whom)), key=itemgetter(0))
    return [finding for _, finding in found]


def concerned(finding: Finding, home: str, edition: Edition) -> tuple[str | None, str | None] | None:
    """Return the system and the benchmark whose sets a finding outside all correctly placed sets concerns. Either is
    None if any will do; the result is None if the finding concerns no set.

    A finding below the results of a set's system does, since it may be a run that was left out. Not so one on another
    benchmark's results or source, another system's results or description, or a stray log elsewhere.
    """
    inside = finding.path[len(home) :].strip("/").split("/")
    if inside[0] == "systems":
        return (inside[-1].removesuffix(".json"), None) if inside[-1].endswith(".json") else None
    if inside[0] == "results" and len(inside) > 1:
        named = [name for name in inside[2:4] if name in edition.benchmarks]  # the benchmark of its folder
        return inside[1], next(iter(named), None)
    if inside[0] == "benchmarks" and len(inside) > 1 and inside[1] in edition.benchmarks:
        return None, inside[1]
    return (None, None) if finding.code not in STRAY else None
