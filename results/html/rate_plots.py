"""Throughput alone in the HTML report: a table of logs, and their samples a second over units with the ideal line."""

from collections.abc import Sequence

from results.html.page import Cell, Links, figures, findings, number_cell, safe, table, text_cell
from results.html.plots import Point, ideal, letters, plot
from results.html.svg import MARKERS, Axis, line
from results.statistics.result import Result
from results.tables.formatting import show
from results.tables.rates import Rate, Series, efficiencies, rates, series

HEAD = (
    *("organisation", "system", "units", "layout", "precision", "settings", "batch", "samples/s", "of a unit"),
    *("strong", "weak", "errors", "log"),
)
KINDS = {
    "strong": "Strong scaling: the same global batch; dashed: ideal",
    "weak": "Weak scaling: the same batch for each unit; dashed: ideal",
}


def throughput_alone(results: Sequence[Result], links: Links) -> str:
    """Table and figures of sets that measure throughput alone; "" where there are none."""
    found = rates(results)
    if not results:
        return ""
    lines = series(found)
    drawn = figures((caption, rate_plot([s for s in lines if s.kind == kind])) for kind, caption in KINDS.items())
    legend = "".join(f"<p class=soft>{safe(names(kind, lines))}</p>" for kind in KINDS)
    rows = [row(rate, lines, links) for rate in found]
    said = "".join(findings(r.standing, links) for r in results)
    note = "<p class=soft>No training to a target: no figure of merit, no rank. A series has the same problem, batch, "
    note += "precision, settings and way of laying samples out over units; efficiency is that of a unit next to one "
    note += "where there are fewest.</p>"
    return f"<h3>Throughput alone</h3>{note}{table(HEAD, rows, cards=True)}{drawn}{legend}{said}"


def names(kind: str, lines: Sequence[Series]) -> str:
    """What the letters of a figure stand for; "" without any."""
    found = "; ".join(f"{letters(i)} {s.name}" for i, s in enumerate(s for s in lines if s.kind == kind))
    return found and f"{kind.capitalize()}: {found}"


def row(rate: Rate, lines: Sequence[Series], links: Links) -> list[Cell]:
    each = rate.rate / rate.units
    return [
        text_cell(rate.org, "name"),
        text_cell(rate.system, "name"),
        number_cell(rate.units, show(rate.units)),
        text_cell(rate.shape),
        text_cell(rate.precision or "-"),
        text_cell(rate.settings or "-"),
        number_cell(rate.batch, show(rate.batch)),
        number_cell(rate.rate, html=links.to(show(rate.rate), rate.log, rate.line)),
        number_cell(each, show(each)),
        *(text_cell(efficiencies(rate, [s for s in lines if s.kind == kind])) for kind in KINDS),
        number_cell(rate.errors, str(rate.errors)),
        Cell(links.to(rate.log.rpartition("/")[2], rate.log, rate.line), class_="name"),
    ]


def rate_plot(lines: Sequence[Series]) -> str:
    """Samples a second over units, a letter and a colour for each series, its fastest at each number of units joined;
    "" without any."""
    groups = [[point(i, s, rate) for rate in s.rates] for i, s in enumerate(lines)]

    def under(x: Axis, y: Axis) -> str:
        return "".join(ideal(group, 1)(x, y) + joined(group, x, y) for group in groups)

    reach = [s.rates[0].rate * s.rates[-1].units / s.rates[0].units for s in lines]
    points = [p for group in groups for p in group]
    return plot(points, "units", "samples / s", "Samples a second over units", under, reach)


def joined(points: Sequence[Point], x: Axis, y: Axis) -> str:
    best = {p.x: p for p in sorted(points, key=lambda p: p.y)}
    return line([(x(p.x), y(p.y)) for _, p in sorted(best.items())], f"whisker c{points[0].colour}")


def point(i: int, s: Series, rate: Rate) -> Point:
    what = f"{s.name}, {rate.shape}"
    return Point(letters(i), i % 8, MARKERS[i % len(MARKERS)], False, what, rate.units, rate.rate)
