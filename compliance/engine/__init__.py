"""Judge everything that was given: single logs, then sets and submissions, then all of it together.

`judge` is what other code calls; `compliance/check.py` is its command line.
"""

import contextlib
import gc
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from compliance.engine.assemble import assemble
from compliance.engine.budget import SECONDS, Account
from compliance.engine.unit import Judged, Unit, faults_of, finding_of, gates, judge_unit
from compliance.finding import Finding, ancestors, sort_key
from compliance.reading.across import Across
from compliance.reading.discovery import Found, discover
from compliance.reading.edition import of_namesake, rounds_of, select_edition
from compliance.reading.files import description_of
from compliance.reading.rounds import published_order, registry_of
from compliance.reading.tree import Set, Submission
from compliance.reviewing.waiver import ABOUT, Waivers
from compliance.rule import CHECKS, ordered
from compliance.verdict import SetVerdict, SubmissionVerdict, Verdict
from rules.current import ROOT
from rules.edition import TEXTS, Edition, load
from rules.text import read_texts

Progress = Callable[[int, int], None]  # called with the number of logs done, and of all logs

NO_RUNS = "no runs yet; all the rest was judged"


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Pause the search for garbage: what is read has no cycles, and syntax trees have millions of nodes."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@without_collecting()
def judge(
    paths: Iterable[str | Path],
    edition: str | None = None,
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
    units, missed = _units(found, edition, rules, waivers, seconds), list(found.missed)
    namesakes = {} if edition else {unit.path: of_namesake(unit.target, unit.edition, rules) for unit in units}
    units = [unit for unit in units if not namesakes.get(unit.path)]
    done, total = itertools.count(1), sum(unit.account.logs for unit in units)
    judged = [judge_unit(unit, lambda: progress(next(done), total) if progress else None) for unit in units]
    missed += [(one.unit.path, one.unit.account.spent) for one in judged if one.unit.account.spent]
    missed += [(path, why) for path, why in namesakes.items() if why]
    missed += [(unit.path, NO_RUNS) for unit in units if unit.submission and unit.submission.prepared]
    judged = [one for one in judged if not one.unit.account.spent]
    verdict = assemble(judged, judge_round(judged), missed)
    return unused(verdict, waivers) if waivers else verdict


def _units(found: Found, named: str | None, rules: Path, waivers: Waivers | None, seconds: float) -> list[Unit]:
    """Return the submissions, the sets and the logs that were found, each with its edition."""

    def unit(edition: Edition, submission: Submission | None, sets: tuple[Set, ...]) -> Unit:
        home = {s.system: submission.path if submission else s.place.home for s in sets}
        descriptions = {name: d for name, path in home.items() if name and (d := description_of(path, name))}
        registry = registry_of(submission or sets[0], edition)
        account = Account(sum(len(s.logs) for s in sets), seconds)
        own = waivers and waivers.of(submission.org if submission else sets[0].place.org)
        return Unit(edition, submission, sets, descriptions, None, own, registry, account)

    rounds = rounds_of(found.submissions)
    units = [
        unit(select_edition(s, named, rules, together), s, s.sets)
        for s, together in zip(found.submissions, rounds, strict=True)
    ]
    units += [unit(select_edition(s, named, rules), None, (s,)) for s in found.sets]
    for log in found.logs:
        units.append(Unit(select_edition(log, named, rules), None, (), {}, log, None, None, Account(1, seconds)))
    return units


def judge_round(judged: Sequence[Judged]) -> dict[str, list[Finding]]:
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
                found[home].append(finding_of(fault, check, unit.edition, unit.path, unit.waivers))
    return found


def unused(verdict: Verdict, file: Waivers) -> Verdict:
    """Return a verdict that was made with waivers, with a warning for each that has expired or covers nothing."""
    judged: list[SubmissionVerdict | SetVerdict] = [*verdict.submissions, *verdict.sets]
    orgs = {one.path.rstrip("/"): one.org for one in judged}
    used = set()
    for finding in verdict.findings:
        whose = next((orgs[path] for path in ancestors(finding.path) if path in orgs), "")
        if found := file.of(whose).covering(finding):
            used.add(found[0])
    texts = read_texts(ROOT / TEXTS)
    told = [
        Finding(file.path, f.line, code, CHECKS[code].severity, texts[code].finding, f.found, f.wanted)
        for code, about in zip(ABOUT, (file.idle(used), file.expired), strict=True)
        for f in CHECKS[code].function(about)
    ]
    return replace(verdict, findings=tuple(sorted((*verdict.findings, *told), key=sort_key)))
