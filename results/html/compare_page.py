"""The page of comparisons: the content of the text, with charts and diffs of the source."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from results.differences import Pair, Side
from results.html import charts
from results.html.across import parts
from results.html.charts import HOW, Chart, Rows
from results.html.excerpt import home
from results.html.factors import factor_chart
from results.html.findings import Group, groups
from results.html.medians import medians
from results.html.page import page
from results.html.tuning import sections
from results.measures.registry import MEASURES
from results.sources import Difference, source_differences
from results.tables.cells import Cell, Line, Table, tone
from results.tables.comparison import lists_of_differences, measured, named, pair_words, products, titled
from results.tables.links import Links, anchor
from results.tables.words import notes, worth
from results.tuning.score import Scored


@dataclass(frozen=True)
class Comparison:
    """The values of one comparison for the template."""

    title: str
    anchor: str
    sides: Sequence[tuple[str, str, Side, str, str]]  # letter, name, side, tone, figure
    sentences: Sequence[Sequence[str]]  # of each pair: which is faster, and remarks
    charts: Sequence[Chart]
    measured: Sequence[tuple[str, Table]]  # heading, table
    notes: Sequence[str]
    differences: Sequence[tuple[str, Table]]
    without_source: Sequence[str]
    sources: Sequence[Difference]
    findings: Sequence[tuple[str, Sequence[Group]]]


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


def comparison(compared: Sequence[Side], pairs: Sequence[Pair], links: Links) -> Comparison:
    """The values of one comparison: sets of one kind, each compared with the first."""
    sides = [charts.Side(s.letter, s.runs, frozenset(s.kept)) for s in compared]
    targets = {s.result.one("target") for s in compared}
    drawn = [
        ratios(pairs),
        product_chart(compared, pairs),
        medians(sides, targets.pop() if len(targets) == 1 else None),
        *parts([s.result for s in compared]),
        charts.timeline(sides, compared[0].result.weak),
    ]
    without, sources = source_differences([(s.letter, s.result) for s in compared])
    return Comparison(
        title=titled(compared),
        anchor=anchor(*compared[0].result.group[:4]),
        sides=[(s.letter, named(s, compared), s, tone(s.result.standing), worth(s.result)) for s in compared],
        sentences=[pair_words(p, compared) for p in pairs],
        charts=[chart for chart in drawn if chart],
        measured=[(name, values(rows, compared)) for name, rows in measured(compared)],
        notes=notes([s.result for s in compared]),
        differences=[(name, values(rows, compared)) for name, rows in lists_of_differences(compared)],
        without_source=without,
        sources=sources,
        findings=[(s.letter, groups(s.result.standing, links, home(s.result.judged), 3, 2)) for s in compared],
    )


def values(rows: Sequence[tuple[str, list[str]]], compared: Sequence[Side]) -> Table:
    """A table with a column for each set."""
    meanings = {m.title: m.meaning for m in MEASURES.values()}
    lines = [Line([Cell(name, title=meanings.get(name, "")), *map(Cell, found)]) for name, found in rows]
    return Table(("", *(s.letter for s in compared)), lines, sortable=False, cards=True)


def ratios(pairs: Sequence[Pair]) -> Chart | None:
    """The ratios of times with their intervals, a row for each pair; None without any."""
    known = [p for p in pairs if p.contrast.ratio is not None]
    if not known:
        return None
    rows = [(0, p.name, f"A, {p.letter}", p.slower.ratio, p.slower.low, p.slower.high) for p in known]
    tables = {"sets": Rows(("s", "row", "set", "x", "low", "high"), rows)}
    note = "The slower set's time over the faster one's. An interval that holds the line at 1 shows no difference."
    return Chart("ratios", "Ratios of times with their 95 % intervals", [charts.key(0, "A")], tables, note)


def product_chart(compared: Sequence[Side], pairs: Sequence[Pair]) -> Chart | None:
    """The factors of each pair's times, the slower set's over the faster one's; None without any."""
    found = [(p.name, p.letter, of) for p, of in products(compared, pairs)]
    looks = {s.letter: i for i, s in enumerate(compared)}
    keys = [charts.key(looks[letter], name) for name, letter, _ in found]
    of = [(name, product) for name, _, product in found]
    return factor_chart(of, "What makes one time over the other: factors with their 95 % intervals", keys)
