"""Build the verdict: each finding stands at the log, set or submission at whose path it lies."""

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from benchmark.tree import THROUGHPUT
from compliance.engine.unit import Judged, benchmark_of, gates
from compliance.finding import Finding, ancestors, sort_key
from compliance.reading.run import Run
from compliance.reading.tree import Set, Submission
from compliance.rule import CHECKS
from compliance.verdict import LogVerdict, SetVerdict, SubmissionVerdict, Verdict

STRAY = ("TREE06", "TREE09")
MIXED = "THR03"

Whom = tuple[str | None, str | None]  # whom findings concern: a system, a benchmark; None is any


class UnitVerdicts:
    """The verdicts on the parts of a judged unit. `findings` are all that belong to it, those of its logs among them
    and those of the rules that compare submissions, in the order of places."""

    def __init__(self, judged: Judged, findings: Sequence[Finding]):
        self.judged, self.unit, self.findings = judged, judged.unit, findings
        self.at: dict[str, list[Finding]] = defaultdict(list)
        for finding in findings:
            self.at[finding.path].append(finding)
        self.known: dict[Whom, tuple[tuple[Finding, ...], frozenset[str]]] = {}  # what `shared` returned

    def log(self, name: str) -> LogVerdict:
        """Return the verdict on a log."""
        return LogVerdict(self.judged.logs[name].run, tuple(self.at.get(name, ())), self.unit.edition.name)

    def runs(self, s: Set) -> SetVerdict:
        """Return the verdict on a set."""
        edition, every = self.unit.edition, self.judged.runs(s)
        benchmark, description = benchmark_of(s, every, edition), self.unit.descriptions.get(s.system)
        known = edition.benchmarks.get(benchmark)
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
            logs=tuple(self.log(x.name) for x in s.logs),
            findings=tuple(f for name in s.files for f in self.at.get(name, ())),
            description=(description.data or {}) if description else {},
            submission=self.unit.path if self.unit.submission else "",
            about=self.about(s),
            campaign=s.place.campaign,
            confirmation=s.place.confirmation,
            unjudged=self.unjudged(s, known is not None, every),
        )

    def submission(self, s: Submission) -> SubmissionVerdict:
        """Return the verdict on the submission."""
        sets = tuple(map(self.runs, self.unit.sets))
        inside = {name for one in self.unit.sets for name in own(one)}
        outside = tuple(f for f in self.findings if f.path not in inside and s.name in ancestors(f.path))
        return SubmissionVerdict(s.name, s.org, self.unit.edition.name, sets, outside, self.judged.origin)

    def about(self, s: Set) -> tuple[Finding, ...]:
        """Return the findings outside of a set that concern it."""
        if not self.unit.submission:
            return ()
        mine, (found, paths) = set(own(s)), self.shared(s.system, s.benchmark)
        return found if mine.isdisjoint(paths) else tuple(f for f in found if f.path not in mine)

    def shared(self, system: str, benchmark: str) -> tuple[tuple[Finding, ...], frozenset[str]]:
        """Return the findings outside all correctly placed sets that concern a system and a benchmark, and their
        paths: one tuple for all sets of both."""
        if (system, benchmark) not in self.known:
            found = about(self.around, system, benchmark)
            self.known[system, benchmark] = tuple(found), frozenset(f.path for f in found)
        return self.known[system, benchmark]

    @functools.cached_property
    def around(self) -> dict[Whom, list[Finding]]:
        """The findings outside all correctly placed sets, by whom they concern."""
        well_laid = [s for s in self.unit.sets if not wrong_place(self.at.get(s.name, ()))]
        in_place = {name for s in well_laid for name in own(s)}
        found: dict[Whom, list[Finding]] = defaultdict(list)
        for finding in self.findings:
            inside = self.unit.path in ancestors(finding.path) and finding.path not in in_place
            if inside and (whom := concerned(finding, self.unit.path, self.unit.edition.benchmarks)):
                found[whom].append(finding)
        return found

    def unjudged(self, s: Set, known: bool, every: Sequence[Run]) -> str:
        """Return why a set was not judged by all rules, "" if it was. Pruned runs may fail a gate check."""
        stopped = [(run.path, code) for run in every if not run.pruned for code in sorted(run.codes & gates())]
        if not self.unit.submission and s.path != s.given:
            return "its logs are in no submission"
        if code := wrong_place(self.at.get(s.name, ())):
            return f"it lies in the wrong place ({code})"
        if not known:
            return "the rules know no such benchmark"
        if s.scaling == THROUGHPUT and not all(run.throughput_only for run in every):
            return f"it has runs among logs that measure throughput alone ({MIXED})"
        return f"{stopped[0][0]} could not be judged further ({stopped[0][1]})" if stopped else ""


def assemble(
    judged: Sequence[Judged], across: Mapping[str, Iterable[Finding]], missed: Iterable[tuple[str, str]]
) -> Verdict:
    """Return the verdict on what was judged. `across` maps the path of a unit to the findings that comparing all units
    gave for it, and "" to those that belong to none. `missed` holds (path, why) of what could not be judged."""
    submissions: list[SubmissionVerdict] = []
    sets: list[SetVerdict] = []
    logs: list[LogVerdict] = []
    every = [*across.get("", ())]
    for one in judged:
        of_logs = (finding for log in one.logs.values() for finding in log.findings)
        found = sorted((*of_logs, *one.findings, *across.get(one.unit.path, ())), key=sort_key)
        parts = UnitVerdicts(one, found)
        every += found
        if one.unit.submission:
            submissions.append(parts.submission(one.unit.submission))
        elif one.unit.log:
            logs.append(parts.log(one.unit.log.name))
        else:
            sets += map(parts.runs, one.unit.sets)
    editions = tuple(sorted({one.unit.edition.name for one in judged}))
    findings = tuple(sorted(every, key=sort_key))
    return Verdict(tuple(submissions), tuple(sets), tuple(logs), findings, tuple(missed), editions)


def own(s: Set) -> list[str]:
    """Return the paths of a set's files and logs."""
    return [*s.files, *(log.name for log in s.logs)]


def wrong_place(findings: Sequence[Finding]) -> str:
    """Return the code of the TREE error that says that a set is misplaced, or "". A misplaced set is judged no further,
    even if a waiver covers the error."""
    return next((f.code for f in findings if f.severity == "error" and CHECKS[f.code].level == "tree"), "")


def about(around: Mapping[Whom, list[Finding]], system: str, benchmark: str) -> list[Finding]:
    """Return the findings that concern the sets of a system and a benchmark, in the order of places."""
    whom: list[Whom] = [(s, b) for s in (None, system) for b in (None, benchmark)]
    return sorted(itertools.chain(*(around.get(key, ()) for key in whom)), key=sort_key)


def concerned(finding: Finding, home: str, benchmarks: Iterable[str]) -> Whom | None:
    """Return the system and the benchmark whose sets a finding outside all correctly placed sets concerns. Either is
    None if any will do; the result is None if the finding concerns no set.

    A finding below the results of a set's system does, since it may be a run that was left out. Not so one on another
    benchmark's results or source, another system's results or description, or a stray log elsewhere.
    """
    inside = finding.path[len(home) :].strip("/").split("/")
    if inside[0] == "systems":
        return (inside[-1].removesuffix(".json"), None) if inside[-1].endswith(".json") else None
    if inside[0] == "results" and len(inside) > 1:
        named = [name for name in inside[2:4] if name in benchmarks]  # the benchmark of its folder
        return inside[1], next(iter(named), None)
    if inside[0] == "benchmarks" and len(inside) > 1 and inside[1] in benchmarks:
        return None, inside[1]
    return (None, None) if finding.code not in STRAY else None
