"""The comparison as a page: the same content as the text, with charts."""

from collections.abc import Sequence
from pathlib import Path

from results import differences as d
from results.differences import Pair, Side
from results.environments import environment_differences
from results.html import charts
from results.html.cells import Cell, Line, Table, tone
from results.html.charts import HOW, Chart, Rows
from results.html.detail import worth
from results.html.excerpt import home
from results.html.findings import groups
from results.html.page import Links, page
from results.tables.comparison import comparable, pair_words
from results.tables.row import seed
from results.tables.text import title


def html_text(compared: Sequence[Side], pairs: Sequence[Pair], base: Path) -> str:
    """One self-contained page; links to logs are relative to `base`."""
    links, sides = Links(base), [charts.Side(s.letter, s.runs, frozenset(s.kept)) for s in compared]
    found = environment_differences(compared)
    targets = {s.result.one("target") for s in compared}
    drawn = [
        ratios(pairs, comparable(compared)),
        charts.curves(sides, targets.pop() if len(targets) == 1 else None),
        charts.time(sides),
        charts.timeline(sides, compared[0].result.weak),
    ]
    return page(
        "compare.html",
        title=" against ".join(s.result.label for s in compared),
        group=title(compared[0].result.group),
        sides=[(s.letter, s.result, tone(s.result.standing), worth(s.result)) for s in compared],
        sentences=[pair_words(p, compared) for p in pairs],
        drawn=[chart for chart in drawn if chart],
        how=HOW,
        measured=values(d.measures(compared), compared),
        differences=[
            ("System: differences", values(d.system_differences(compared), compared)),
            ("Settings: differences", values(d.setting_differences(compared), compared)),
            *([("Environment: differences", values(found, compared))] if found else []),
        ],
        seeds=seeds(compared, links),
        shared=d.same_seeds(compared),
        findings=[(s.letter, groups(s.result.standing, links, home(s.result.judged), 3, 2)) for s in compared],
    )


def values(rows: Sequence[tuple[str, list[str]]], compared: Sequence[Side]) -> Table:
    """A row a property, a column a set."""
    lines = [Line([Cell(name), *map(Cell, found)]) for name, found in rows]
    return Table(("", *(s.letter for s in compared)), lines, sortable=False)


def ratios(pairs: Sequence[Pair], fit: bool) -> Chart | None:
    """A row a pair: the ratio, its interval, and the line where both are equally fast; None where there is no ratio, or
    the sets don't `fit` together."""
    known = [p for p in pairs if p.contrast.ratio is not None]
    if not known or not fit:
        return None
    rows = [(0, f"A / {p.letter}", f"A, {p.letter}", p.contrast.ratio, p.contrast.low, p.contrast.high) for p in known]
    tables = {"sets": Rows(("s", "row", "set", "x", "low", "high"), rows), "runs": Rows(("s",), [])}
    note = "Left of the line A is faster, right of it slower."
    return Chart("ratios", "Ratios of times with their 95 % intervals", [charts.key(0, "A")], tables, note)


def seeds(compared: Sequence[Side], links: Links) -> Table:
    """The seeds of each set, with their lines."""
    lines = []
    for s in compared:
        found = [(run.file, fact) for run in s.runs if (fact := seed(run))]
        at = "; ".join(links.place(file, fact.line) for file, fact in found)
        lines.append(Line([Cell(s.letter), Cell(", ".join(d.plain(fact.value) for _, fact in found) or "-", title=at)]))
    return Table(("", "seeds"), lines, sortable=False)
