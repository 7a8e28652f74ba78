"""Judging: logs by themselves, then sets, submissions, and all that was given together.

`judge` is what other code calls; `compliance/check.py` is its command line.
"""

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any

import compliance.checks  # noqa: F401  registers the checks
from benchmark.tree import THROUGHPUT
from compliance.assemble import ancestors, assemble, benchmark_of, gates
from compliance.budget import SECONDS, Account, Spent
from compliance.finding import Fault, Finding, show
from compliance.reading.across import Across
from compliance.reading.discovery import discover
from compliance.reading.edition import select_edition
from compliance.reading.files import Description, SubmissionFiles, description_of
from compliance.reading.ledger import SetLedger, ledger_of
from compliance.reading.log import Log, gather_log
from compliance.reading.registry import Registries, RoundRegistry
from compliance.reading.resumption import set_aside
from compliance.reading.run import Run, run_of
from compliance.reading.terms import division_of, terms_for
from compliance.reading.timeline import timeline
from compliance.reading.tree import LogFile, Set, Submission
from compliance.rule import Check, ordered
from compliance.verdict import NO_STOP, NOT_CONVERGED, Verdict
from compliance.waiver import Waivers, apply
from rules.edition import ROOT, Edition, Limits, load

MOST_FAULTS = 10_000  # of one check in one place
OF_SOURCE = "CODE02"  # rules that look at files other than the reference's
NO_RUNS = "no runs yet; all the rest was judged"
BROKE = "Could not look: the check itself failed, that"


@dataclass(frozen=True)
class Job:
    """One log to judge. `benchmark` is what its folder says it is, "" for a log given alone."""

    log: LogFile
    edition: Edition
    benchmark: str
    alone: bool
    division: str = ""  # the system description's, where it overrules the log's
    waivers: Waivers | None = None


@dataclass(frozen=True)
class Unit:
    """What is judged together: a submission with its sets, a set, or a log given by itself."""

    edition: Edition
    submission: Submission | None
    sets: tuple[Set, ...]
    descriptions: dict[str, Description]  # by system
    log: LogFile | None = None
    waivers: Waivers | None = None
    registry: RoundRegistry | None = None
    account: Account = field(default_factory=lambda: Account(0))  # what judging it has cost

    @property
    def path(self) -> str:
        """What findings call it."""
        return (self.submission or self.log or self.sets[0]).name

    def jobs(self) -> Iterator[Job]:
        """The logs to judge."""
        for runs in self.sets:
            description = self.descriptions.get(runs.system) if self.edition.limits.description_rules else None
            division = division_of((description.data or {}).get("division")) if description else ""
            benchmark = runs.benchmark if runs.benchmark in self.edition.benchmarks else ""
            for log in runs.logs:
                yield Job(log, self.edition, benchmark, False, division, self.waivers)
        if self.log:
            yield Job(self.log, self.edition, "", alone=True, waivers=self.waivers)


@dataclass(frozen=True)
class SetPlace:
    """Where a set lies, for its checks: its folders' names, its submission, the description of its system, the registry
    of its round, its launch ledger."""

    runs: Set
    submission: Submission | None
    description: Description | None
    registry: RoundRegistry | None = None
    ledger: SetLedger | None = None

    @property
    def scaling(self) -> str:
        return self.runs.scaling

    @property
    def system(self) -> str:
        return self.runs.system


def judge(
    paths: Iterable[str | Path],
    edition: str | None = None,
    jobs: int = 1,
    rules: Path = ROOT,
    progress: Callable[[int, int], None] | None = None,
    waivers: Waivers | None = None,
    seconds: float = SECONDS,
) -> Verdict:
    """Judge logs, sets, submissions or rounds.

    `edition` names the rules to judge by; without it the folders say. `rules` is the folder of the editions;
    `progress(done, all)` is called after each log; `waivers` are a reviewer's; one submission gets so many `seconds`,
    and what needs more is missed. Raises ValueError for an unknown edition.
    """
    if edition:
        load(edition, rules)
    found = discover(list(dict.fromkeys(map(str, paths))))
    beside, registries = found.submissions, Registries()
    units = [_unit(select_edition(s, edition, rules, beside), s, s.sets, waivers, registries) for s in beside]
    units += [_unit(select_edition(s, edition, rules), None, (s,), waivers, registries) for s in found.sets]
    units += [Unit(select_edition(log, edition, rules), None, (), {}, log, waivers) for log in found.logs]
    todo = [(unit, job) for unit in units for job in unit.jobs()]
    for unit in units:
        unit.account.logs, unit.account.most = sum(1 for _ in unit.jobs()), seconds
    judged = {run.path: (run, findings) for run, findings in _judge_logs(todo, jobs, progress)}
    origins: dict[str, str] = {}
    extra = [f for unit in units for f in _within(unit, judged, origins)]
    missed = [(unit.path, unit.account.spent) for unit in units if unit.account.spent]
    missed += [(unit.path, NO_RUNS) for unit in units if unit.submission and unit.submission.prepared]
    units = [unit for unit in units if not unit.account.spent]
    extra += _judge_round(units, judged)
    inside = {log.log.name for unit in units for log in unit.jobs()}
    judged = {name: found for name, found in judged.items() if name in inside}
    verdict = assemble(units, judged, extra, [*found.missed, *missed], origins)
    return apply(verdict, waivers) if waivers else verdict


def _unit(
    edition: Edition,
    submission: Submission | None,
    sets: tuple[Set, ...],
    waivers: Waivers | None,
    registries: Registries,
) -> Unit:
    systems = dict.fromkeys(s.system for s in sets if s.system)
    homes = {s.system: s.place.home for s in sets}
    found = {name: description_of(submission.path if submission else homes[name], name) for name in systems}
    registry = registries.of(submission or sets[0], edition)
    descriptions = {name: d for name, d in found.items() if d}
    return Unit(edition, submission, sets, descriptions, waivers=waivers, registry=registry)


def judge_log(job: Job) -> tuple[Run, list[Finding]]:
    """What one log says, and every fault in it."""
    log = gather_log(job.log.file, job.log.name, job.edition)
    terms = terms_for(log, job.edition, job.benchmark, job.division)
    if "RES01" in terms.codes:
        set_aside(log, terms.metric)
    time = timeline(log, terms)
    findings: list[Finding] = []
    broken: set[str] = set()
    for check in ordered("log", terms.codes):
        if broken.isdisjoint(check.after):
            new = [_finding(fault, check, job.edition, job.log.name) for fault in _faults(check, log, terms, time)]
            findings += new
            broken |= _broken(new, job.waivers)
            if check.gate and check.code in _broken(new):  # a waiver lets a fault pass, but what it hides isn't judged
                break
    run = run_of(log, terms, time, job.log.file, job.log.number, job.log.pruned)
    if not job.alone:  # a set forgives some; RUN03 counts them
        limits = job.edition.limits
        findings = [replace(f, severity="info") if only_failed(f, limits) else f for f in findings]
    codes, lines = frozenset(f.code for f in findings), frozenset(f.line for f in findings)
    return replace(run, codes=codes, lines=lines), findings


def only_failed(finding: Finding, limits: Limits) -> bool:
    """Whether a finding only says that the run failed: missed its target, or, where a round's sets were accepted with
    such logs, broke off."""
    broke_off = limits.unfinished_forgiven and (finding.code, finding.found) == NO_STOP
    return finding.code == NOT_CONVERGED or broke_off


def _timed(job: Job) -> tuple[Run, list[Finding], float]:
    """What one log says, every fault in it, and the seconds that it took."""
    begin = time.monotonic()
    run, findings = judge_log(job)
    return run, findings, time.monotonic() - begin


def _judge_logs(
    todo: list[tuple[Unit, Job]], jobs: int, progress: Callable | None
) -> Iterator[tuple[Run, list[Finding]]]:
    """The logs of units that have not spent their budget; each is charged to its own."""
    accounts = {job.log.name: unit.account for unit, job in todo}
    open_ = (job for unit, job in todo if not unit.account.spent)  # one process asks for the next when one is done
    if jobs <= 1 or len(todo) < 2:
        yield from _charged(accounts, _counted(map(_timed, open_), len(todo), progress))
        return
    method = "fork" if "fork" in get_all_start_methods() else None  # in a sandbox, no program can be started
    with ProcessPoolExecutor(jobs, get_context(method)) as pool:
        chunk = max(1, min(32, len(todo) // (4 * jobs)))
        yield from _charged(accounts, _counted(pool.map(_timed, open_, chunksize=chunk), len(todo), progress))


def _charged(accounts: dict[str, Account], results: Iterable) -> Iterator[tuple[Run, list[Finding]]]:
    for run, findings, seconds in results:
        account = accounts[run.path]
        if not account.spent:
            account.charge(seconds, run.kept, run.path)
            yield run, findings


def _counted(results: Iterable, total: int, progress: Callable | None) -> Iterator:
    for done, result in enumerate(results, 1):
        yield result
        if progress:
            progress(done, total)


def _within(unit: Unit, judged: dict, origins: dict[str, str]) -> list[Finding]:
    """`_judge_unit`, as long as the unit's budget lasts; nothing where it does not."""
    try:
        unit.account.begin()
        return [] if unit.account.spent else list(_judge_unit(unit, judged, origins))
    except Spent:
        return []


def _judge_unit(unit: Unit, judged: dict, origins: dict[str, str]) -> Iterator[Finding]:
    """The findings of the layout, of the sets, and of the submission as a whole. `origins` gets what the submission's
    source is, where the edition's rules look into it."""
    if unit.submission is None:
        for runs in unit.sets:
            yield from _judge_set(unit, runs, [judged[log.name][0] for log in runs.logs], set())
        return
    laid = list(_judge_level("tree", unit, set(), unit.submission, unit.edition))
    yield from laid
    below = _below(laid)
    for runs in unit.sets:
        wrong = below.get(runs.name, [])
        if not any(f.path == runs.name for f in wrong):  # a set that lies wrong isn't judged further, waived or not
            given = _broken(wrong, unit.waivers)
            yield from _judge_set(unit, runs, [judged[log.name][0] for log in runs.logs], given)
    every = tuple(judged[log.name][0] for runs in unit.sets for log in runs.logs)
    files = SubmissionFiles(unit.submission, every, unit.edition, unit.registry)
    yield from _judge_level("submission", unit, _broken(laid, unit.waivers), files)
    if OF_SOURCE in unit.edition.codes:
        origins[unit.path] = files.origin


def _below(findings: list[Finding]) -> dict[str, list[Finding]]:
    """Errors by every folder that they are in or at."""
    below: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for path in ancestors(finding.path) if finding.severity == "error" else ():
            below[path].append(finding)
    return below


def _judge_level(level: str, unit: Unit, given: set[str], *arguments: Any) -> Iterator[Finding]:
    """The findings of all checks of a level, but of those whose premise has an error."""
    given = set(given)
    for check in ordered(level, unit.edition.codes):
        if given.isdisjoint(check.after):
            for fault in _faults(check, *arguments, account=unit.account):
                finding = _finding(fault, check, unit.edition, unit.submission.name)
                given |= _broken([finding], unit.waivers)
                yield finding


def _judge_set(unit: Unit, runs: Set, every: list[Run], given: set[str]) -> Iterator[Finding]:
    sound = [run for run in every if run.codes.isdisjoint(gates())]
    terms = terms_for(Log(runs.name), unit.edition, benchmark_of(runs, every, unit.edition))
    ledger = ledger_of(runs, unit.edition)
    place = SetPlace(runs, unit.submission, unit.descriptions.get(runs.system), unit.registry, ledger)
    terms = replace(terms, throughput_only=_measures_throughput(runs, every))
    alike = [run for run in sound if run.throughput_only == terms.throughput_only]
    for check in ordered("set", terms.codes):
        if given.isdisjoint(check.after):
            used = {"every": every, "sound": sound, "alike": alike}[check.runs]
            for fault in _faults(check, used, place, terms, account=unit.account):
                finding = _finding(fault, check, unit.edition, runs.name)
                given |= _broken([finding], unit.waivers)
                yield finding


def _measures_throughput(runs: Set, every: list[Run]) -> bool:
    """Whether a set is one of throughput-only logs: its folder says so, or, if that says nothing, all of its logs."""
    return runs.scaling == THROUGHPUT or (not runs.scaling and all(run.throughput_only for run in every))


def _judge_round(units: list[Unit], judged: dict) -> list[Finding]:
    """The findings across everything that was given, each by the edition that its log is judged by."""
    editions = {job.log.name: unit.edition for unit in units for job in unit.jobs()}
    runs = [run for name in editions if (run := judged[name][0]).codes.isdisjoint(gates())]
    homes = {job.log.name: unit.path for unit in units for job in unit.jobs()}
    registries = {unit.registry.path: unit.registry for unit in units if unit.registry}
    across = Across(runs, dict(editions), homes, tuple(registries.values()))
    editions |= {unit.registry.path: unit.edition for unit in units if unit.registry}
    codes = frozenset[str]().union(*(u.edition.codes for u in units))
    findings = []
    for check in ordered("round", codes):
        for fault in _faults(check, across):
            edition = editions.get(fault.path, units[0].edition)
            if check.code in edition.codes:
                findings.append(_finding(fault, check, edition, fault.path or units[0].path))
    return findings


def _broken(findings: list[Finding], waivers: Waivers | None = None) -> set[str]:
    """The codes of errors that no waiver covers: what is no such error breaks no other rule's premise."""
    return {f.code for f in findings if f.severity == "error" and not (waivers and waivers.cover(f))}


def _faults(check: Check, *arguments: object, account: Account | None = None) -> Iterator[Fault]:
    """What a check finds. One that breaks, on input that nobody thought of, has not looked, and says so; the others go
    on. Raises Spent where there is an account whose time is up."""
    try:
        if account:
            account.look(check.code)
        for fault in itertools.islice(check.function(*arguments), MOST_FAULTS):
            yield fault
            if account:
                account.look(check.code)
    except Spent:
        raise
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
