"""Judge everything that was given: single logs, then sets and submissions, then all of it together.

`judge` is what other code calls; `compliance/check.py` is its command line.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from compliance.assemble import assemble
from compliance.budget import SECONDS
from compliance.finding import Finding, ancestors
from compliance.judging import Judged, Unit, faults_of, finding_of, gates
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
from compliance.waiver import Waivers, unused
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
    judged = judge_units(units, jobs, progress)
    missed = [(one.unit.path, one.unit.account.spent) for one in judged if one.unit.account.spent]
    missed += [(path, why) for path, why in namesakes.items() if why]
    missed += [(unit.path, NO_RUNS) for unit in units if unit.submission and unit.submission.prepared]
    judged = [one for one in judged if not one.unit.account.spent]
    verdict = assemble(judged, judge_round(judged, waivers), [*found.missed, *missed])
    return unused(verdict, waivers) if waivers else verdict


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


def judge_round(judged: Sequence[Judged], waivers: Waivers | None = None) -> dict[str, list[Finding]]:
    """Judge runs of all units together. Return the findings by the path of the unit whose log or set they concern, each
    by its edition; under "" those of a registry."""
    units = {log: one.unit for one in judged for log in one.logs}
    runs = [log.run for one in judged for log in one.logs.values() if log.run.codes.isdisjoint(gates())]
    registries = {one.unit.registry.path: one.unit for one in judged if one.unit.registry}
    orders = {one.unit.path: published_order(one.unit.target, one.unit.edition) for one in judged}
    across = Across(
        runs,
        {log: unit.edition for log, unit in units.items()},
        {log: unit.path for log, unit in units.items()},
        tuple(unit.registry for unit in registries.values() if unit.registry),
        {log: orders[unit.path] for log, unit in units.items()},
    )
    homes = {one.unit.path: one.unit for one in judged}
    found: dict[str, list[Finding]] = defaultdict(list)
    for check in ordered("round", frozenset[str]().union(*(one.unit.edition.codes for one in judged))):
        for fault in faults_of(check, across):
            own = next((homes[path] for path in ancestors(fault.path) if path in homes), judged[0].unit)
            unit = registries.get(fault.path, own)
            if check.code in unit.edition.codes:
                home = "" if fault.path in registries else unit.path
                found[home].append(finding_of(fault, check, unit.edition, unit.path, waivers))
    return found
