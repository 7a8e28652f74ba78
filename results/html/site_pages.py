"""The files of the site: the index, the rules, and for each round a report, pages of submissions, CSV and JSON."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from compliance.finding import counted
from compliance.output.explain import severity
from results.html import headings
from results.html.across import Looks, looks_of
from results.html.charts import Chart, Rows, key
from results.html.detail import room
from results.html.headings import explained
from results.html.page import ADDRESS, HIDDEN, bundle, page, plain
from results.html.report import report
from results.html.specs import COLOURS
from results.html.submission_page import names, submission
from results.measures.registry import MEASURES
from results.statistics.result import Result
from results.tables.cells import Cell, Line, Table, number, table_of
from results.tables.formatting import show
from results.tables.links import Links, anchor
from results.tables.text import Places, csv_text, json_text
from results.tuning.score import Scored
from results.tuning.text import record
from rules.current import editions
from rules.edition import load
from rules.text import Rule

CODE = "charts.js"  # the code that draws charts, shared by all pages of a site
RULES = "../rules.html"
LOOKS = 24  # systems that a chart can tell apart


@dataclass(frozen=True)
class Round:
    """A round: its name, the folder of its pages, its results, (path, why) of what has none, and its campaigns."""

    name: str
    folder: str
    results: Sequence[Result]
    left_out: Places
    tuned: Sequence[Scored] = ()

    @cached_property
    def pages(self) -> dict[str, str]:
        """The file of each submission's page, by organisation."""
        return names((r.org for r in self.results), ("index.html",))


Found = dict[str, tuple[float, Result, Round]]  # of each round, a system's best: worth, result, round


def rounds(results: Sequence[Result], left_out: Places, tuned: Sequence[Scored] = ()) -> list[Round]:
    """The rounds, sorted by name. What has no result, and campaigns, belong to the round in whose folder they lie."""
    found: dict[str, list[Result]] = defaultdict(list)
    for r in results:
        found[r.judged.round or r.judged.edition].append(r)
    made = []
    for name, folder in names(found, ("index.html", "rules.html", CODE), "round", "").items():
        without = [(path, why) for path, why in left_out if f"/{name}/" in f"/{path}"]
        made.append(Round(name, folder, found[name], without, [s for s in tuned if f"/{name}/" in f"/{s.judged.path}"]))
    return made


def files(found: Sequence[Round], base: Path) -> Iterator[tuple[str, str]]:
    """(path, text) of every file of the site. Paths of logs are shown relative to `base`."""
    yield "index.html", index(found)
    yield "rules.html", rules()
    yield CODE, bundle()
    for one in found:
        for name, text in round_files(one, Links(base, public=True, pages=one.pages)):
            yield f"{one.folder}/{name}", text


def round_files(one: Round, links: Links) -> Iterator[tuple[str, str]]:
    """(name, text) of every file of a round."""
    code, places = f"../{CODE}", [(links.place(path), why) for path, why in one.left_out]
    yield "index.html", report(one.results, links, one.left_out, f"Results of {one.name}", code, RULES, one.tuned)
    yield "results.csv", ADDRESS.sub(HIDDEN, csv_text(one.results))
    told = json_text(one.results, places, list(map(record, one.tuned)))
    yield "results.json", json.dumps(plain(json.loads(told)), indent=1) + "\n"
    own: dict[str, list[Result]] = defaultdict(list)
    for r in one.results:
        own[r.org].append(r)
    left: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for place, why in places:
        folder = f"/{place}".partition(f"/{one.name}/")[2].partition("/")[0]
        left[folder.casefold()].append((place, why))
    space = room(max(map(len, own.values())))
    for org, name in one.pages.items():
        yield name, submission(own[org], links, space, left[org.casefold()], one.name, RULES, code)


def index(found: Sequence[Round]) -> str:
    """The index: a table of rounds, and for each problem the best of each system in every round."""
    problems = trends(found)
    drawn = [chart for _, _, chart in problems if chart]
    table = explained(table_of(ROUNDS, reversed(found)), headings.ROUNDS)
    return page("site.html", bool(drawn), CODE, title="Rounds", rounds=table, problems=problems)


ROUNDS: dict[str, Callable[[Round], Cell]] = {
    "round": lambda one: Cell(one.name, href=f"{one.folder}/index.html"),
    "rules": lambda one: Cell(", ".join(sorted({r.judged.edition for r in one.results}))),
    "organisations": lambda one: number(len({r.org.casefold() for r in one.results})),
    "sets": lambda one: number(len(one.results)),
    "with a result": lambda one: number(sum(r.fom is not None or r.throughput is not None for r in one.results)),
    "runs": lambda one: number(sum(r.score.n for r in one.results if not r.throughput_only)),
    "table": lambda one: Cell("CSV", href=f"{one.folder}/results.csv"),
    "data": lambda one: Cell("JSON", href=f"{one.folder}/results.json"),
}


def trends(found: Sequence[Round]) -> list[tuple[str, Table, Chart | None]]:
    """(title, table, chart) of every problem with a result: a row for each system, a column for each round. Rounds are
    compared if benchmark, problem, target, scaling and division are the same; an organisation is one whatever its
    case, and called as in its last round."""
    best: dict[tuple[Any, ...], dict[tuple[str, str], Found]] = defaultdict(lambda: defaultdict(dict))
    for one in found:
        for r in one.results:
            value = MEASURES["models_per_hour" if r.weak else "fom_minutes"].get(r)
            if value is not None:
                of = best[(*r.group[1:3], r.one("target"), *r.group[3:])][(r.org.casefold(), r.system)]
                kept = of.get(one.name)
                if kept is None or (value > kept[0] if r.weak else value < kept[0]):
                    of[one.name] = (value, r, one)
    named = {group: {list(of.values())[-1][1].label: of for of in systems.values()} for group, systems in best.items()}
    ordered = sorted(named.items(), key=lambda item: str(item[0]))
    looks = looks_of([r for _, systems in ordered for of in systems.values() for _, r, _ in of.values()])
    return [trend(group, systems, found, looks) for group, systems in ordered]


def trend(
    group: tuple[Any, ...], systems: dict[str, Found], found: Sequence[Round], looks: Looks
) -> tuple[str, Table, Chart | None]:
    """(title, table, chart) of one problem; the chart is None for a single round."""
    benchmark, problem, target, scaling, division = group
    weak = scaling == "weak"
    what = "models an hour" if weak else "minutes to train"
    words = [benchmark, problem, f"{division} division", what]
    there = [one for one in found if any(one.name in of for of in systems.values())]
    order = sorted(systems, key=lambda s: min((-v if weak else v) for v, _, _ in systems[s].values()))
    lines = [Line([Cell(system), *(cell(systems[system].get(one.name)) for one in there)]) for system in order]
    rows: list[Sequence[Any]] = []
    for one in there:
        of = [(s, *systems[name][one.name][:2]) for s, name in enumerate(order, 1) if one.name in systems[name]]
        first = (max if weak else min)(of, key=lambda found: found[1])
        rows += [(s, one.name, value, r.label, r.one("units")) for s, value, r in [(0, *first[1:]), *of] if s < LOOKS]
    some = f"; the first {LOOKS - 1} of {len(order)} systems" if len(order) >= LOOKS else ""
    drawn = order[: LOOKS - 1]
    places = [looks[system.casefold()] for system in drawn]
    numbers = [1 + i + i // (COLOURS - 1) for i in places]  # none has the colour of the best of all
    keys = [key(0, "best of all"), *(key(i, system) for i, system in zip(numbers, drawn, strict=True))]
    tables = {"points": Rows(("s", "round", "y", "set", "units"), rows)}
    caption = f"The best of each system over rounds, {what}{some}"
    chart = Chart("trend", caption, keys, tables, marks="shape") if len(there) > 1 else None
    words += [f"target {target:g}"] if isinstance(target, int | float) else []
    table = Table(("system", *(one.name for one in there)), lines)
    table = explained(table, {one.name: f"{what} of its best set in this round" for one in there})
    return " · ".join(word for word in words if word), table, chart


def cell(found: tuple[float, Result, Round] | None) -> Cell:
    """The cell of a system's best result in a round, linked to its part of the submission's page."""
    if found is None:
        return number(None)
    value, r, one = found
    href = f"{one.folder}/{one.pages[r.org]}#{anchor(r.name, r.group[2])}"
    return number(value, show(value, 2), href=href, title=r.standing.word)


def rules() -> str:
    """The page of every rule in force in any edition, by family, with its severity in each."""
    known = [load(name) for name in editions()]
    texts: dict[str, Rule] = {code: rule for edition in known for code, rule in edition.rules.items()}
    families: dict[str, list[tuple[Rule, list[list[str]], str]]] = defaultdict(list)
    for code, rule in sorted(texts.items()):
        where: dict[str, list[str]] = defaultdict(list)
        for edition in known:
            if code in edition.rules:
                where[severity(code, edition)].append(edition.name)
        said = "; ".join(f"{what} in {', '.join(names)}" for what, names in where.items())
        families[rule.path.stem].append((rule, blocks(rule.reason), said))
    return page("rules.html", False, title="Rules", count=counted(len(texts), "rule"), families=families)


def blocks(text: str) -> list[list[str]]:
    """The paragraphs of a rule's text; a list is several lines, another paragraph one."""
    found = []
    for block in text.split("\n\n"):
        lines = re.split(r"\n(?=- )", block) if block.startswith("- ") else [block]
        found.append([" ".join(line.split()) for line in lines])
    return found
