"""Judge one log, or one unit: a submission with its sets, or a set or log given by itself."""

import functools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import compliance.families  # noqa: F401  registers the checks
from benchmark.tree import THROUGHPUT
from compliance.engine.budget import OF_A_FINDING, Account, Spent
from compliance.finding import WHOLE, Fault, Finding, ancestors, errors, show
from compliance.reading.devices import described_cores
from compliance.reading.files import Description, SubmissionFiles
from compliance.reading.ledger import ledger_of
from compliance.reading.log import Log, gather_log
from compliance.reading.place import SetPlace
from compliance.reading.rounds import RoundRegistry
from compliance.reading.run import Run, run_of
from compliance.reading.terms import Terms, terms_for
from compliance.reading.timeline import set_aside, timeline
from compliance.reading.tree import LogFile, Set, Submission
from compliance.reviewing.waiver import Waivers
from compliance.rule import CHECKS, Check, applying, of_keys, ordered
from compliance.verdict import NOT_CONVERGED, LogVerdict
from rules.edition import Edition
from rules.limits import Limits

NO_STOP = ("CLK01", "no run_stop")  # the code and found text of a log that breaks off
MOST_FAULTS = 10_000  # of one check in one place that are listed
OF_SOURCE = "CODE02"  # an edition with this rule compares the source with the reference's
BROKE = "Could not be checked: the checker itself failed, in the check"


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

    def logs(self) -> Iterator[tuple[LogFile, Set | None]]:
        """Yield the logs to judge, each with its set."""
        yield from ((log, runs) for runs in self.sets for log in runs.logs)
        if self.log:
            yield self.log, None

    def terms(self, log: Log, runs: Set | None) -> Terms:
        """Return the terms for a log of a set. The folder's benchmark and the description's division go before those
        that the log names; a log given by itself has neither."""
        if runs is None:
            return terms_for(log, self.edition)
        description = self.descriptions.get(runs.system)
        described = (description.data or {}) if description else {}
        division = described.get("division", "") if self.edition.limits.description_rules else ""
        benchmark = runs.benchmark if runs.benchmark in self.edition.benchmarks else ""
        return terms_for(log, self.edition, benchmark, division, runs.kind, described_cores(described))


def judge_log(unit: Unit, file: LogFile, runs: Set | None = None) -> LogVerdict:
    """Judge one log of a set, or given by itself, by the rules on logs."""
    begin = time.monotonic()
    edition = unit.edition
    log = gather_log(file.file, file.name, edition, unit.account.most)
    terms = unit.terms(log, runs)
    codes = applying(edition.codes, terms.kinds)
    if "RES01" in codes:
        set_aside(log, terms.metric)
    milestones = timeline(log, terms)
    findings: list[Finding] = []
    broken: set[str] = set()
    for check in ordered("log", codes):
        wrong = False
        for fault in faults_of(check, log, terms, milestones) if broken.isdisjoint(check.after) else ():
            findings.append(finding := finding_of(fault, check, edition, file.name, unit.waivers))
            wrong = wrong or finding.severity == "error"
            if broken_by([finding]):
                broken |= of_keys(check.code, fault.about)
        if check.gate and wrong:  # a waiver does not open the gate
            break
    if runs:  # a set may have some runs that failed; RUN03 counts them
        findings = [replace(f, severity="info") if only_failed(f, edition.limits) else f for f in findings]
    run = run_of(
        log,
        terms,
        milestones,
        file,
        codes=frozenset(f.code for f in findings),
        lines=frozenset(f.line for f in findings),
        broken=frozenset(broken),
    )
    return LogVerdict(run, tuple(findings), edition.name, time.monotonic() - begin)


def only_failed(finding: Finding, limits: Limits) -> bool:
    """Return whether a finding only says that the run failed: it missed its target, or its log breaks off, where the
    round accepted sets with such logs."""
    broke_off = limits.unfinished_forgiven and (finding.code, finding.found) == NO_STOP
    return finding.code == NOT_CONVERGED or broke_off


@dataclass(frozen=True)
class Judged:
    """The outcome of judging a unit. `logs` are those judged within the budget, by name. `findings` are those on the
    layout, the sets and the submission as a whole. `origin` says whether the source is the reference's, "" if the
    edition does not ask."""

    unit: Unit
    logs: dict[str, LogVerdict]
    findings: list[Finding]
    origin: str = ""

    def runs(self, runs: Set) -> list[Run]:
        """Return the runs of a set."""
        return [self.logs[log.name].run for log in runs.logs]


def judge_unit(unit: Unit, tell: Callable[[], object]) -> Judged:
    """Judge a unit, log by log as long as its budget lasts. `tell` is called after each log."""
    judged = Judged(unit, {}, [])
    for file, runs in unit.logs():
        log = judge_log(unit, file, runs)
        tell()
        unit.account.charge(log.seconds, log.run.kept + OF_A_FINDING * len(log.findings), log.run.path)
        if unit.account.spent:
            return judged
        judged.logs[log.run.path] = log
    unit.account.begin()
    try:
        if unit.submission:
            return judge_submission(judged, unit.submission)
        return replace(judged, findings=[finding for runs in unit.sets for finding in judge_set(judged, runs, set())])
    except Spent:
        return judged


def judge_submission(judged: Judged, submission: Submission) -> Judged:
    """Judge a submission, whose logs are judged, by the rules on its layout, on its sets, and on the whole."""
    unit = judged.unit
    codes = unit.edition.codes
    laid = list(_judge(unit, ordered("tree", codes), unit.path, set(), lambda check: (submission, unit.edition)))
    findings, below = [*laid], _below(laid)
    for runs in unit.sets:
        wrong = below.get(runs.name, [])
        if not any(f.path == runs.name for f in wrong):  # a misplaced set is judged no further, waived or not
            findings += judge_set(judged, runs, broken_by(wrong))
    every = tuple(run for runs in unit.sets for run in judged.runs(runs))
    files = SubmissionFiles(submission, every, unit.edition, unit.registry)
    findings += _judge(unit, ordered("submission", codes), unit.path, broken_by(laid), lambda check: (files,))
    findings = list(dict.fromkeys(findings))  # several sets may find the same in one description
    return replace(judged, findings=findings, origin=files.origin if OF_SOURCE in codes else "")


def _below(findings: list[Finding]) -> dict[str, list[Finding]]:
    """Return the errors by path: of the file or folder where they are, and of every folder above."""
    below: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for path in ancestors(finding.path) if finding.severity == "error" else ():
            below[path].append(finding)
    return below


def _judge(
    unit: Unit, checks: Iterable[Check], path: str, broken: set[str], arguments: Callable[[Check], tuple[Any, ...]]
) -> Iterator[Finding]:
    """Yield the findings of checks on what lies at a path, within the unit's budget, except those with a premise in
    `broken` or broken by another."""
    broken = set(broken)
    for check in checks:
        if broken.isdisjoint(check.after):
            for fault in faults_of(check, *arguments(check), account=unit.account):
                finding = finding_of(fault, check, unit.edition, path, unit.waivers)
                broken |= broken_by([finding])
                yield finding


def judge_set(judged: Judged, runs: Set, broken: set[str]) -> Iterator[Finding]:
    """Return the findings of the rules on sets, except those with a premise in `broken` or broken by another."""
    unit, every = judged.unit, judged.runs(runs)
    terms = terms_for(Log(runs.name), unit.edition, benchmark_of(runs, every, unit.edition), kind=runs.kind)
    terms = replace(terms, throughput_only=_measures_throughput(runs, every))
    ledger = ledger_of(runs, unit.edition)
    place = SetPlace(runs, unit.submission, unit.descriptions.get(runs.system), unit.registry, ledger)
    sound = [run for run in every if run.codes.isdisjoint(gates())]
    alike = [run for run in sound if run.throughput_only == terms.throughput_only]
    looked_at = {"every": every, "sound": sound, "alike": alike}

    def arguments(check: Check) -> tuple[list[Run], SetPlace, Terms]:
        return [run for run in looked_at[check.runs] if run.broken.isdisjoint(check.after)], place, terms

    checks = ordered("set", applying(unit.edition.codes, terms.kinds))
    return _judge(unit, checks, runs.name, broken, arguments)


def _measures_throughput(runs: Set, every: list[Run]) -> bool:
    """Return whether a set is of throughput-only logs: its folder says so or, if it says nothing, all its logs do."""
    return runs.scaling == THROUGHPUT or (not runs.scaling and all(run.throughput_only for run in every))


def benchmark_of(runs: Set, every: Sequence[Run], edition: Edition) -> str:
    """Return the benchmark that a set's folder names, or else the one that all its runs log. Return "" if the edition
    does not know it, or the runs differ."""
    if runs.benchmark:
        return runs.benchmark if runs.benchmark in edition.benchmarks else ""
    names = {run.benchmark for run in every if run.codes.isdisjoint(gates())}
    return names.pop() if len(names) == 1 else ""


@functools.cache
def gates() -> frozenset[str]:
    """Return the codes of the gate checks: after an error of one of these, a log is judged no further."""
    return frozenset(check.code for check in CHECKS.values() if check.gate)


def broken_by(findings: Iterable[Finding]) -> set[str]:
    """Return the codes of the errors that no waiver covers. Only these break the premise of other rules."""
    return {f.code for f in errors(findings)}


def faults_of(check: Check, *arguments: object, account: Account | None = None) -> Iterator[Fault]:
    """Yield the faults that a check finds; of those beyond MOST_FAULTS, one for each severity with their number. If the
    check itself raises an exception, yield one error that says so; the other checks go on. Raises Spent if the
    account's time is up."""
    first: dict[str, Fault] = {}  # the first that is not listed, by severity
    more: dict[str, int] = {}
    try:
        if account:
            account.look(check.code)
        for number, fault in enumerate(check.function(*arguments)):
            if number < MOST_FAULTS:
                yield fault
            else:
                first.setdefault(fault.severity, fault)
                more[fault.severity] = more.get(fault.severity, 0) + 1
            if account:
                account.look(check.code)
        for severity, count in more.items():
            yield replace(first[severity], found=f"{count} more from here on", wanted="none", about=())
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


def finding_of(fault: Fault, check: Check, edition: Edition, path: str, waivers: Waivers | None = None) -> Finding:
    """Return the finding of a fault, marked if a waiver covers it."""
    finding = Finding(
        path=fault.path or path,
        line=fault.line,
        code=check.code,
        severity=fault.severity or edition.limits.severity.get(check.code, check.severity),
        sentence=fault.says or edition.rules[check.code].finding,
        found=show(fault.found, WHOLE) if fault.found != "" else "",
        wanted=show(fault.wanted, WHOLE) if fault.wanted != "" else "",
    )
    return waivers.mark(finding) if waivers else finding
