"""Throughput alone in the HTML report: a table of logs, and their samples a second over units with the ideal line."""

from collections.abc import Sequence

from results.page import Cell, Links, figures, number_cell, safe, table, text_cell
from results.plots import Point, ideal, letters, plot
from results.rates import Rate, Series, efficiencies, rates, series
from results.summary import Result
from results.svg import MARKERS, Axis
from results.words import show

HEAD = ("organisation", "system", "units", "layout", "batch", "samples/s", "of a unit", "strong, %", "weak, %", "log")
KINDS = {
    "strong": "Strong scaling: the same global batch; dashed: ideal",
    "weak": "Weak scaling: the same batch for each unit; dashed: ideal",
}


def throughput_alone(results: Sequence[Result], links: Links) -> str:
    """Table and figures of sets that measure throughput alone; "" where there are none."""
    found = rates(results)
    if not found:
        return ""
    lines = series(found)
    drawn = figures((caption, rate_plot([s for s in lines if s.kind == kind])) for kind, caption in KINDS.items())
    kinds = [[s for s in lines if s.kind == kind] for kind in KINDS]
    names = "; ".join(f"{letters(i)} {s.name}" for members in kinds for i, s in enumerate(members))
    legend = f"<p class=soft>Series: {safe(names)}. They train to no target: no figure of merit, no rank.</p>"
    rows = [row(rate, lines, links) for rate in found]
    return f"<h3>Throughput alone</h3>{table(HEAD, rows, cards=True)}{drawn}{legend}"


def row(rate: Rate, lines: Sequence[Series], links: Links) -> list[Cell]:
    each = rate.rate / rate.units
    return [
        text_cell(rate.org, "name"),
        text_cell(rate.system, "name"),
        number_cell(rate.units, show(rate.units)),
        text_cell(rate.shape),
        number_cell(rate.batch, show(rate.batch)),
        number_cell(rate.rate, html=links.to(show(rate.rate), rate.log, rate.line)),
        number_cell(each, show(each)),
        *(text_cell(efficiencies(rate, [s for s in lines if s.kind == kind])) for kind in KINDS),
        Cell(links.to(rate.log.rpartition("/")[2], rate.log, rate.line), class_="name"),
    ]


def rate_plot(lines: Sequence[Series]) -> str:
    """Samples a second over units, a letter and a colour for each series; "" without any."""
    groups = [[point(i, s, rate) for rate in s.rates] for i, s in enumerate(lines)]

    def under(x: Axis, y: Axis) -> str:
        return "".join(ideal(group, 1)(x, y) for group in groups)

    return plot([p for group in groups for p in group], "units", "samples / s", "Samples a second over units", under)


def point(i: int, s: Series, rate: Rate) -> Point:
    what = f"{s.name}, {rate.shape}"
    return Point(letters(i), i % 8, MARKERS[i % len(MARKERS)], False, what, rate.units, rate.rate)
