"""Judge one log, or one unit: a submission with its sets, or a set or log given by itself."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import compliance.checks  # noqa: F401  registers the checks
from benchmark.tree import THROUGHPUT
from compliance.assemble import benchmark_of, gates
from compliance.budget import OF_A_FINDING, SECONDS, Account, Spent
from compliance.finding import WHOLE, Fault, Finding, ancestors, show
from compliance.reading.files import Description, SubmissionFiles
from compliance.reading.ledger import SetLedger, ledger_of
from compliance.reading.log import Log, gather_log
from compliance.reading.registry import RoundRegistry
from compliance.reading.resumption import set_aside
from compliance.reading.run import Run, run_of
from compliance.reading.terms import division_of, terms_for
from compliance.reading.timeline import timeline
from compliance.reading.tree import LogFile, Set, Submission
from compliance.reading.tuning import left_out
from compliance.rule import Check, ordered
from compliance.verdict import NO_STOP, NOT_CONVERGED
from compliance.waiver import Waivers
from rules.edition import Edition
from rules.limits import Limits

MOST_FAULTS = 10_000  # of one check in one place that are listed
OF_SOURCE = "CODE02"  # an edition with this rule compares the source with the reference's
BROKE = "Could not be checked: the checker itself failed, in the check"

Logs = dict[str, tuple[Run, list[Finding]]]  # the run and findings of each judged log, by the log's name


@dataclass(frozen=True)
class Job:
    """One log to judge. `benchmark` is the one that its folder names, "" for a log given alone."""

    log: LogFile
    edition: Edition
    benchmark: str
    alone: bool
    division: str = ""  # the system description's, where it overrules the log's
    waivers: Waivers | None = None
    without: frozenset[str] = frozenset()  # rules that do not apply to it
    seconds: float = SECONDS  # that reading it may take: the budget of its submission


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
    account: Account = field(default_factory=lambda: Account(0))  # the cost so far

    @property
    def target(self) -> Submission | Set | LogFile:
        """The submission, set or log."""
        return self.submission or self.log or self.sets[0]

    @property
    def path(self) -> str:
        """The path as findings give it."""
        return self.target.name

    def jobs(self) -> Iterator[Job]:
        """Yield the logs to judge."""
        most = self.account.most
        for runs in self.sets:
            description = self.descriptions.get(runs.system) if self.edition.limits.description_rules else None
            division = division_of((description.data or {}).get("division")) if description else ""
            benchmark = runs.benchmark if runs.benchmark in self.edition.benchmarks else ""
            without = left_out(runs, self.edition)
            for log in runs.logs:
                yield Job(log, self.edition, benchmark, False, division, self.waivers, without, most)
        if self.log:
            yield Job(self.log, self.edition, "", alone=True, waivers=self.waivers, seconds=most)


@dataclass(frozen=True)
class SetPlace:
    """The surroundings of a set, for its checks: names of folders, submission, description of the system, registry of
    the round, launch ledger."""

    runs: Set
    submission: Submission | None
    description: Description | None
    registry: RoundRegistry | None = None
    ledger: SetLedger | None = None

    @property
    def described(self) -> dict[str, Any]:
        """The fields of the system description, {} without one."""
        return (self.description.data or {}) if self.description else {}

    @property
    def scaling(self) -> str:
        return self.runs.scaling

    @property
    def system(self) -> str:
        return self.runs.system


def judge_log(job: Job) -> tuple[Run, list[Finding]]:
    """Judge one log: return its run and its findings."""
    log = gather_log(job.log.file, job.log.name, job.edition, job.seconds)
    terms = replace(terms_for(log, job.edition, job.benchmark, job.division), without=job.without)
    if "RES01" in terms.codes:
        set_aside(log, terms.metric)
    time = timeline(log, terms)
    findings: list[Finding] = []
    broken: set[str] = set()
    for check in ordered("log", terms.codes):
        if broken.isdisjoint(check.after):
            new = [finding_of(fault, check, job.edition, job.log.name) for fault in faults_of(check, log, terms, time)]
            findings += new
            broken |= broken_by(new, job.waivers)
            if check.gate and check.code in broken_by(new):  # a waiver does not open the gate
                break
    run = run_of(log, terms, time, job.log.file, job.log.number, job.log.pruned)
    if not job.alone:  # a set may have some runs that failed; RUN03 counts them
        limits = job.edition.limits
        findings = [replace(f, severity="info") if only_failed(f, limits) else f for f in findings]
    codes, lines = frozenset(f.code for f in findings), frozenset(f.line for f in findings)
    return replace(run, codes=codes, lines=lines, broken=frozenset(broken)), findings


def only_failed(finding: Finding, limits: Limits) -> bool:
    """Return whether a finding only says that the run failed: it missed its target, or its log breaks off, where the
    round accepted sets with such logs."""
    broke_off = limits.unfinished_forgiven and (finding.code, finding.found) == NO_STOP
    return finding.code == NOT_CONVERGED or broke_off


@dataclass(frozen=True)
class Timed:
    """A judged log: its run, its findings, and the seconds that judging took."""

    run: Run
    findings: list[Finding]
    seconds: float


@dataclass(frozen=True)
class Judged:
    """The outcome of judging a unit. `logs` are those judged within the budget. `findings` are those on the layout, the
    sets and the submission as a whole. `origin` says whether the source is the reference's, None if the edition does
    not ask."""

    logs: Logs
    findings: list[Finding]
    origin: str | None
    account: Account


def timed(job: Job) -> Timed:
    """Judge one log, and measure the time."""
    begin = time.monotonic()
    run, findings = judge_log(job)
    return Timed(run, findings, time.monotonic() - begin)


def judge_unit(unit: Unit, logs: Iterable[Timed]) -> Judged:
    """Judge a unit. `logs` are taken one by one, as long as the unit's budget lasts."""
    judged: Logs = {}
    for log in logs:
        unit.account.charge(log.seconds, log.run.kept + OF_A_FINDING * len(log.findings), log.run.path)
        if unit.account.spent:
            return Judged(judged, [], None, unit.account)
        judged[log.run.path] = (log.run, log.findings)
    origins: list[str] = []
    try:
        unit.account.begin()
        findings = list(_beyond_logs(unit, judged, origins))
    except Spent:
        findings = []
    return Judged(judged, findings, origins[0] if origins else None, unit.account)


def _beyond_logs(unit: Unit, judged: Logs, origins: list[str]) -> Iterator[Finding]:
    """Yield the findings on the layout, the sets and the submission as a whole. Appends to `origins` whether the source
    is the reference's, if the edition's rules look into it."""
    if unit.submission is None:
        for runs in unit.sets:
            yield from _judge_set(unit, runs, [judged[log.name][0] for log in runs.logs], set())
        return
    laid = list(_judge_level("tree", unit, set(), unit.submission, unit.edition))
    yield from laid
    below = _below(laid)
    for runs in unit.sets:
        wrong = below.get(runs.name, [])
        if not any(f.path == runs.name for f in wrong):  # a misplaced set is judged no further, waived or not
            given = broken_by(wrong, unit.waivers)
            yield from _judge_set(unit, runs, [judged[log.name][0] for log in runs.logs], given)
    every = tuple(judged[log.name][0] for runs in unit.sets for log in runs.logs)
    files = SubmissionFiles(unit.submission, every, unit.edition, unit.registry)
    yield from _judge_level("submission", unit, broken_by(laid, unit.waivers), files)
    if OF_SOURCE in unit.edition.codes:
        origins.append(files.origin)


def _below(findings: list[Finding]) -> dict[str, list[Finding]]:
    """Return the errors by path: of the file or folder where they are, and of every folder above."""
    below: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for path in ancestors(finding.path) if finding.severity == "error" else ():
            below[path].append(finding)
    return below


def _judge_level(level: str, unit: Unit, given: set[str], *arguments: Any) -> Iterator[Finding]:
    """Yield the findings of all checks of a level, except those whose premise is broken."""
    given = set(given)
    for check in ordered(level, unit.edition.codes):
        if given.isdisjoint(check.after):
            for fault in faults_of(check, *arguments, account=unit.account):
                finding = finding_of(fault, check, unit.edition, unit.path)
                given |= broken_by([finding], unit.waivers)
                yield finding


def _judge_set(unit: Unit, runs: Set, every: list[Run], given: set[str]) -> Iterator[Finding]:
    sound = [run for run in every if run.codes.isdisjoint(gates())]
    terms = terms_for(Log(runs.name), unit.edition, benchmark_of(runs, every, unit.edition))
    ledger = ledger_of(runs, unit.edition)
    place = SetPlace(runs, unit.submission, unit.descriptions.get(runs.system), unit.registry, ledger)
    terms = replace(terms, throughput_only=_measures_throughput(runs, every), without=left_out(runs, unit.edition))
    alike = [run for run in sound if run.throughput_only == terms.throughput_only]
    for check in ordered("set", terms.codes):
        if given.isdisjoint(check.after):
            some = {"every": every, "sound": sound, "alike": alike}[check.runs]
            used = [run for run in some if run.broken.isdisjoint(check.after)]
            for fault in faults_of(check, used, place, terms, account=unit.account):
                finding = finding_of(fault, check, unit.edition, runs.name)
                given |= broken_by([finding], unit.waivers)
                yield finding


def _measures_throughput(runs: Set, every: list[Run]) -> bool:
    """Return whether a set is of throughput-only logs: its folder says so or, if it says nothing, all its logs do."""
    return runs.scaling == THROUGHPUT or (not runs.scaling and all(run.throughput_only for run in every))


def broken_by(findings: Iterable[Finding], waivers: Waivers | None = None) -> set[str]:
    """Return the codes of the errors that no waiver covers. Only these break the premise of other rules."""
    return {f.code for f in findings if f.severity == "error" and not (waivers and waivers.cover(f))}


def faults_of(check: Check, *arguments: object, account: Account | None = None) -> Iterator[Fault]:
    """Yield the faults that a check finds; of those beyond MOST_FAULTS, one for each severity with their number. If the
    check itself raises an exception, yield one error that says so; the other checks go on. Raises Spent if the
    account's time is up."""
    first: dict[str, Fault] = {}  # the first that is not listed, by severity
    more: Counter[str] = Counter()
    try:
        if account:
            account.look(check.code)
        for number, fault in enumerate(check.function(*arguments)):
            if number < MOST_FAULTS:
                yield fault
            else:
                first.setdefault(fault.severity, fault)
                more[fault.severity] += 1
            if account:
                account.look(check.code)
        for severity, count in more.items():
            yield replace(first[severity], found=f"{count} more from here on", wanted="none")
    except Spent:
        raise
    except Exception as error:
        yield Fault(
            1,
            f"{type(error).__name__}: {error}",
            "no error; please report it",
            f"{BROKE} of {check.code}",
            severity="error",
        )


def finding_of(fault: Fault, check: Check, edition: Edition, path: str) -> Finding:
    severity = fault.severity or edition.limits.severity.get(check.code, check.severity)
    return Finding(
        path=fault.path or path,
        line=fault.line,
        code=check.code,
        severity=severity,
        sentence=fault.says or edition.rules[check.code].finding,
        found=show(fault.found, WHOLE) if fault.found != "" else "",
        wanted=show(fault.wanted, WHOLE) if fault.wanted != "" else "",
    )
