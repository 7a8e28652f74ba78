"""Judge everything that was given: single logs, then sets and submissions, then all of it together.

`judge` is what other code calls; `compliance/check.py` is its command line.
"""

from collections.abc import Iterable
from pathlib import Path

from compliance.assemble import assemble, gates
from compliance.budget import SECONDS
from compliance.finding import Finding
from compliance.judging import Logs, Unit, faults_of, finding_of
from compliance.reading.across import Across
from compliance.reading.discovery import discover
from compliance.reading.edition import of_namesake, rounds_of, select_edition
from compliance.reading.files import description_of
from compliance.reading.frozen import published_order
from compliance.reading.registry import Registries
from compliance.reading.tree import Set, Submission
from compliance.rule import ordered
from compliance.spread import Progress, judge_units
from compliance.verdict import Verdict
from compliance.waiver import Waivers, apply
from rules.current import ROOT
from rules.edition import Edition, load

NO_RUNS = "no runs yet; all the rest was judged"


def judge(
    paths: Iterable[str | Path],
    edition: str | None = None,
    jobs: int = 1,
    rules: Path = ROOT,
    progress: Progress | None = None,
    waivers: Waivers | None = None,
    seconds: float = SECONDS,
) -> Verdict:
    """Judge logs, sets, submissions or rounds, and return the verdict.

    `edition` names the rules to judge by; without it, the names of folders decide. `rules` is the folder of the
    editions. `progress(done, all)` is called after each log. `waivers` are a reviewer's. A submission that takes more
    than `seconds` is listed as missed. Raises ValueError for an unknown edition.
    """
    if edition:
        load(edition, rules)
    found = discover(list(dict.fromkeys(map(str, paths))))
    rounds, registries = rounds_of(found.submissions), Registries()
    units = [
        _unit(select_edition(s, edition, rules, together), s, s.sets, waivers, registries)
        for s, together in zip(found.submissions, rounds, strict=True)
    ]
    units += [_unit(select_edition(s, edition, rules), None, (s,), waivers, registries) for s in found.sets]
    units += [Unit(select_edition(log, edition, rules), None, (), {}, log, waivers) for log in found.logs]
    namesakes = {} if edition else {unit.path: of_namesake(unit.target, unit.edition, rules) for unit in units}
    units = [unit for unit in units if not namesakes.get(unit.path)]
    for unit in units:
        unit.account.logs, unit.account.most = sum(1 for _ in unit.jobs()), seconds
    told = list(zip(units, judge_units(units, jobs, progress), strict=True))
    missed = [(unit.path, one.account.spent) for unit, one in told if one.account.spent]
    missed += [(path, why) for path, why in namesakes.items() if why]
    missed += [(unit.path, NO_RUNS) for unit in units if unit.submission and unit.submission.prepared]
    told = [(unit, one) for unit, one in told if not one.account.spent]
    units = [unit for unit, _ in told]
    judged: Logs = {name: found for _, one in told for name, found in one.logs.items()}
    extra = [finding for _, one in told for finding in one.findings] + _judge_round(units, judged)
    origins = {unit.path: one.origin for unit, one in told if one.origin is not None}
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


def _judge_round(units: list[Unit], judged: Logs) -> list[Finding]:
    """Return the findings of the checks that compare all runs, each by the edition of its log."""
    editions = {job.log.name: unit.edition for unit in units for job in unit.jobs()}
    runs = [run for name in editions if (run := judged[name][0]).codes.isdisjoint(gates())]
    homes = {job.log.name: unit.path for unit in units for job in unit.jobs()}
    registries = {unit.registry.path: unit.registry for unit in units if unit.registry}
    orders = [(published_order(unit.target, unit.edition), unit) for unit in units]
    published = {job.log.name: order for order, unit in orders for job in unit.jobs()}
    across = Across(runs, dict(editions), homes, tuple(registries.values()), published)
    editions |= {unit.registry.path: unit.edition for unit in units if unit.registry}
    codes = frozenset[str]().union(*(u.edition.codes for u in units))
    findings = []
    for check in ordered("round", codes):
        for fault in faults_of(check, across):
            edition = editions.get(fault.path, units[0].edition)
            if check.code in edition.codes:
                findings.append(finding_of(fault, check, edition, fault.path or units[0].path))
    return findings
