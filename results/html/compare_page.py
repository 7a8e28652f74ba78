"""The page of comparisons: the content of the text, with charts and diffs of the source."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from results.differences import Pair, Side
from results.html import charts
from results.html.across import parts, shared
from results.html.charts import HOW, Chart, tenfold
from results.html.detail import busy_words, unscored
from results.html.excerpt import home
from results.html.factors import factor_chart
from results.html.findings import groups
from results.html.medians import medians
from results.html.page import page
from results.html.tuning import sections
from results.measures.registry import MEASURES
from results.sources import source_differences
from results.tables.cells import Cell, Line, Table, tone
from results.tables.comparison import lists_of_differences, measured, named, pair_words, products, titled
from results.tables.links import Links, anchor
from results.tables.words import notes, worth
from results.tuning.score import Scored


def html_text(
    compared: Sequence[tuple[Sequence[Side], Sequence[Pair]]], base: Path, tuned: Sequence[Scored] = ()
) -> str:
    """One self-contained page with every comparison, and the `tuned` campaigns below. Links to logs are relative to
    `base`."""
    links = Links(base)
    return page(
        "compare.html",
        title=" against ".join(s.result.label for s in compared[0][0][:3]) if len(compared) == 1 else "Comparisons",
        comparisons=[comparison(sides, pairs, links) for sides, pairs in compared],
        how=HOW,
        tuned=sections(tuned),
    )


def comparison(compared: Sequence[Side], pairs: Sequence[Pair], links: Links) -> dict[str, Any]:
    """The values of one comparison for the template: sets of one kind, each compared with the first."""
    results = [s.result for s in compared]
    without, sources = source_differences([(s.letter, s.result) for s in compared])
    return {
        "title": titled(compared),
        "anchor": anchor(*results[0].group[:4]),
        "sides": [side(s, compared) for s in compared],
        "sentences": [pair_words(p, compared) for p in pairs],
        "charts": [chart for chart in drawn(compared, pairs) if chart],
        "measured": [(name, values(rows, compared)) for name, rows in measured(compared)],
        "notes": [*notes(results), *filter(None, [busy_words(results)])],
        "differences": [(name, values(rows, compared)) for name, rows in lists_of_differences(compared)],
        "without_source": without,
        "sources": sources,
        "findings": [(s.letter, groups(s.result.standing, links, home(s.result.judged), 3, 2)) for s in compared],
    }


def drawn(compared: Sequence[Side], pairs: Sequence[Pair]) -> Iterator[Chart | None]:
    """The charts of the sets with a score: factors, parts of the time, convergence, and a timeline, for each set one if
    their times span a factor of ten."""
    scored = [(i, s) for i, s in enumerate(compared) if not s.result.why]
    results = [s.result for _, s in scored]
    sides = [charts.Side(s.letter, s.runs, s.result.kept) for _, s in scored]
    yield product_chart(compared, pairs)
    yield from parts(results)
    curves = medians(sides, shared({r.one("target") for r in results}))
    yield curves and replace(curves, keys=[charts.key(i, s.letter) for i, s in scored])
    if not tenfold([r.mean("total_ms") or 0 for r in results]):
        yield charts.timeline(sides, compared[0].result.weak)
        return
    for one in sides:
        chart = charts.timeline([one], compared[0].result.weak)
        yield chart and replace(chart, caption=f"{chart.caption}, {one.name}")


def side(s: Side, compared: Sequence[Side]) -> dict[str, str]:
    """A set's line at the top of a comparison."""
    r = s.result
    why = f": {unscored(r)}" if r.why else ""
    words = {"word": r.standing.word, "tone": tone(r.standing), "worth": worth(r) + why}
    return {"letter": s.letter, "name": named(s, compared), **words}


def values(rows: Sequence[tuple[str, list[str]]], compared: Sequence[Side]) -> Table:
    """A table with a column for each set."""
    meanings = {m.title: m.meaning for m in MEASURES.values()}
    lines = [Line([Cell(name, title=meanings.get(name, "")), *map(Cell, found)]) for name, found in rows]
    return Table(("", *(s.letter for s in compared)), lines, sortable=False, cards=True)


def product_chart(compared: Sequence[Side], pairs: Sequence[Pair]) -> Chart | None:
    """The factors of each pair's times, the slower set's over the faster one's; None without any."""
    found = [(p.name, p.letter, of) for p, of in products(compared, pairs)]
    looks = {s.letter: i for i, s in enumerate(compared)}
    keys = [charts.key(looks[letter], name) for name, letter, _ in found]
    of = [(name, product) for name, _, product in found]
    return factor_chart(of, "What makes one time over the other: factors with their 95 % intervals", keys)
