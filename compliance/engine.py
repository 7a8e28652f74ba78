"""Judging: logs by themselves, then sets, submissions, and all that was given together.

`judge` is what other code calls; `compliance/check.py` is its command line.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import compliance.checks  # noqa: F401  registers the checks
from compliance.assemble import ancestors, assemble
from compliance.assemble import sort_key as sort_key  # callers order findings by it
from compliance.checks.across import Across
from compliance.checks.system import described
from compliance.checks.throughput import measures_throughput
from compliance.discover import LogFile, Set, Submission, discover
from compliance.facts import Facts, facts_of
from compliance.finding import Fault, Finding, show
from compliance.material import Material
from compliance.resumption import set_aside
from compliance.rule import Check, ordered
from compliance.run import Law, Run, known_keys, read_run
from compliance.selection import select_edition
from compliance.timeline import timeline
from compliance.verdict import NO_STOP, NOT_CONVERGED, Verdict
from rules.edition import ROOT, Edition, Limits, load

BROKE = "Could not look: the check itself failed, that"
COUNTING = ("RUN01", "RUN02")  # count logs that aren't judged further, too
SORTING = "THR03"  # looks at all logs of a set, of which the others see those of its kind
GATES = frozenset(("LOG02", "LOG03", "RUN10"))  # a log with such a finding isn't judged further


@dataclass(frozen=True)
class Job:
    """One log to judge. `benchmark` is what its folder says it is, "" for a log given alone."""

    log: LogFile
    edition: Edition
    benchmark: str
    alone: bool
    division: str = ""  # the system description's, where it overrules the log's


@dataclass(frozen=True)
class Unit:
    """What is judged together: a submission with its sets, a set, or a log given by itself."""

    edition: Edition
    submission: Submission | None
    sets: tuple[Set, ...]
    log: LogFile | None = None

    def jobs(self) -> Iterator[Job]:
        overrule = self.submission and self.edition.limits.description_rules
        for runs in self.sets:
            description = described(Place(runs, self.submission)) if overrule else None
            division = str((description.data or {}).get("division", "")) if description else ""
            benchmark = runs.benchmark if runs.benchmark in self.edition.benchmarks else ""
            for log in runs.logs:
                yield Job(log, self.edition, benchmark, False, division)
        if self.log:
            yield Job(self.log, self.edition, "", alone=True)


def judge(
    paths: Iterable[str | Path],
    edition: str | None = None,
    jobs: int = 1,
    rules: Path = ROOT,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Judge logs, sets, submissions or rounds.

    `edition` names the rules to judge by; without it folders and logs say. `rules` is the folder of the editions;
    `progress(done, all)` is called after each log. Raises ValueError for an unknown edition.
    """
    if edition:
        load(edition, rules)
    found = discover(list(dict.fromkeys(map(str, paths))))
    units = [Unit(select_edition(s, edition, rules), s, s.sets) for s in found.submissions]
    units += [Unit(select_edition(s, edition, rules), None, (s,)) for s in found.sets]
    units += [Unit(select_edition(log, edition, rules), None, (), log) for log in found.logs]
    todo = [job for unit in units for job in unit.jobs()]
    judged = {facts.path: (facts, findings) for facts, findings in _judge_logs(todo, jobs, progress)}
    extra = [f for unit in units for f in _judge_unit(unit, judged)]
    extra += [f for name in sorted({u.edition.name for u in units}) for f in _judge_round(name, units, judged)]
    return assemble(units, judged, extra, found.missed)


def judge_log(job: Job) -> tuple[Facts, list[Finding]]:
    """What one log says, and every fault in it."""
    run = read_run(job.log.file, job.log.name, known_keys(job.edition))
    law = law_for(run, job.edition, job.benchmark, job.division)
    if "RES01" in law.codes:
        set_aside(run, law.metric)
    time = timeline(run, law)
    findings: list[Finding] = []
    broken: set[str] = set()
    for check in ordered("log", law.codes):
        if broken.isdisjoint(check.after):
            new = [_finding(fault, check, job.edition, job.log.name) for fault in _faults(check, run, law, time)]
            findings += new
            broken |= _broken(new)
            if check.code in GATES and check.code in broken:
                break
    facts = facts_of(run, law, time, job.log.file, job.log.number, job.log.pruned)
    if not job.alone:  # a set forgives some; RUN03 counts them
        limits = job.edition.limits
        findings = [replace(f, severity="info") if only_failed(f, limits) else f for f in findings]
    codes, lines = frozenset(f.code for f in findings), frozenset(f.line for f in findings)
    return replace(facts, codes=codes, lines=lines), findings


def only_failed(finding: Finding, limits: Limits) -> bool:
    """Whether a finding only says that the run failed: missed its target, or, where a round's sets were accepted with
    such logs, broke off."""
    broke_off = limits.unfinished_forgiven and (finding.code, finding.found) == NO_STOP
    return finding.code == NOT_CONVERGED or broke_off


def law_for(run: Run, edition: Edition, folder_benchmark: str = "", division: str = "") -> Law:
    """The law for a log: the benchmark is its folder's, or what it says itself, or the edition's only one."""
    said = run.value("submission_benchmark")
    name = folder_benchmark or (said if type(said) is str and said in edition.benchmarks else "")
    name = name or next(iter(edition.benchmarks))
    problem = run.value("problem")
    published = edition.problems.get(problem) if type(problem) is str else None
    division = division or run.value("submission_division")
    division = division.lower() if type(division) is str else ""
    only = bool(edition.throughput_codes) and run.value("throughput_only") is True
    benchmark, keys = edition.benchmarks[name], edition.keys[name]
    return Law(edition, name, benchmark, keys, published, division, folder_benchmark, only)


def _judge_logs(todo: list[Job], jobs: int, progress: Callable | None) -> Iterator[tuple[Facts, list[Finding]]]:
    if jobs <= 1 or len(todo) < 2:
        results: Iterable = map(judge_log, todo)
        yield from _counted(results, len(todo), progress)
        return
    with ProcessPoolExecutor(jobs) as pool:
        chunk = max(1, min(32, len(todo) // (4 * jobs)))
        yield from _counted(pool.map(judge_log, todo, chunksize=chunk), len(todo), progress)


def _counted(results: Iterable, total: int, progress: Callable | None) -> Iterator:
    for done, result in enumerate(results, 1):
        yield result
        if progress:
            progress(done, total)


def _judge_unit(unit: Unit, judged: dict) -> Iterator[Finding]:
    """The findings of the layout, of the sets, and of the submission as a whole."""
    laid = list(_judge_tree(unit)) if unit.submission else []
    yield from laid
    below = _below(laid)
    for runs in unit.sets:
        wrong = below.get(runs.name, [])
        if not any(f.path == runs.name for f in wrong):  # a set that lies wrong isn't judged further
            yield from _judge_set(unit, runs, [judged[log.name][0] for log in runs.logs], _broken(wrong))
    if unit.submission:
        every = tuple(judged[log.name][0] for runs in unit.sets for log in runs.logs)
        yield from _judge_material(unit, Material(unit.submission, every, unit.edition), _broken(laid))


def _below(findings: list[Finding]) -> dict[str, list[Finding]]:
    """Errors by every folder that they are in or at."""
    below: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for path in ancestors(finding.path) if finding.severity == "error" else ():
            below[path].append(finding)
    return below


def _judge_tree(unit: Unit) -> Iterator[Finding]:
    given: set[str] = set()
    for check in ordered("tree", unit.edition.codes):
        if given.isdisjoint(check.after):
            for fault in _faults(check, unit.submission, unit.edition):
                finding = _finding(fault, check, unit.edition, unit.submission.name)
                given |= _broken([finding])
                yield finding


def _judge_set(unit: Unit, runs: Set, facts: list[Facts], given: set[str]) -> Iterator[Finding]:
    sound = [f for f in facts if f.codes.isdisjoint(GATES)]
    law = law_for(Run(runs.name), unit.edition, runs.benchmark if runs.benchmark in unit.edition.benchmarks else "")
    place = Place(runs, unit.submission)
    law = replace(law, throughput_only=measures_throughput(place, facts))
    for check in ordered("set", law.codes):
        if given.isdisjoint(check.after):
            used = facts if check.code in COUNTING else sound
            if check.code != SORTING:
                used = [f for f in used if f.throughput_only == law.throughput_only]
            for fault in _faults(check, used, place, law):
                finding = _finding(fault, check, unit.edition, runs.name)
                given |= _broken([finding])
                yield finding


def _judge_material(unit: Unit, material: Material, given: set[str]) -> Iterator[Finding]:
    for check in ordered("submission", unit.edition.codes):
        if given.isdisjoint(check.after):
            for fault in _faults(check, material):
                finding = _finding(fault, check, unit.edition, unit.submission.name)
                given |= _broken([finding])
                yield finding


@dataclass(frozen=True)
class Place:
    """Where a set lies, for its checks."""

    runs: Set
    submission: Submission | None

    @property
    def scaling(self) -> str:
        return self.runs.scaling

    @property
    def system(self) -> str:
        return self.runs.system


def _judge_round(name: str, units: list[Unit], judged: dict) -> Iterator[Finding]:
    """The findings across everything that is judged by one edition."""
    edition = next(u.edition for u in units if u.edition.name == name)
    logs = dict.fromkeys(job.log.name for u in units if u.edition.name == name for job in u.jobs())
    facts = [f for log in logs if (f := judged[log][0]).codes.isdisjoint(GATES)]
    once = {os.path.abspath(f.file): f for f in reversed(facts)}  # a log may be given twice, and is one all the same
    across = Across([f for f in facts if once[os.path.abspath(f.file)] is f], edition)
    for check in ordered("round", edition.codes):
        for fault in _faults(check, across):
            yield _finding(fault, check, edition, fault.path)


def _broken(findings: list[Finding]) -> set[str]:
    """The codes of errors: a warning breaks no other rule's premise."""
    return {f.code for f in findings if f.severity == "error"}


def _faults(check: Check, *arguments: object) -> Iterator[Fault]:
    """What a check finds. One that breaks, on input that nobody thought of, has not looked, and says so; the others go
    on."""
    try:
        yield from check.function(*arguments)
    except Exception as error:
        yield Fault(1, f"{type(error).__name__}: {error}", "an answer", f"{BROKE} of {check.code}", severity="error")


def _finding(fault: Fault, check: Check, edition: Edition, path: str) -> Finding:
    severity = fault.severity or edition.limits.severity.get(check.code, check.severity)
    return Finding(
        path=fault.path or path,
        line=fault.line,
        code=check.code,
        severity=severity,
        sentence=fault.says or check.sentence,
        found=show(fault.found) if fault.found != "" else "",
        wanted=show(fault.wanted) if fault.wanted != "" else "",
    )
