"""The comparison as a page: the same content as the text, with figures."""

from collections.abc import Sequence
from pathlib import Path

from results import differences as d
from results.differences import Pair, Side
from results.html import charts
from results.html.page import Cell, Links, breakable, chip, figures, findings, page, safe, table
from results.html.svg import Axis, bounds, element, figure, label, line
from results.tables.comparison import comparable, pair_words
from results.tables.formatting import show
from results.tables.row import seed
from results.tables.text import title


def html_text(compared: Sequence[Side], pairs: Sequence[Pair], base: Path) -> str:
    """One self-contained page; links to logs are relative to `base`."""
    links = Links(base)
    heading = " against ".join(s.result.label for s in compared)
    blocks = [
        f"<h1>Comparison</h1><p class=soft>{safe(title(compared[0].result.group))}</p>",
        "<ul>" + "".join(side_line(s) for s in compared) + "</ul>",
        *(f"<p><strong>{safe(pair_words(p, compared))}</strong></p>" for p in pairs),
        figures([("Time A / time of each other set, with its 95 % interval", ratios(pairs, comparable(compared)))]),
        "<h2>Measured</h2>" + values(d.measures(compared), compared),
        "<h2>How the runs went</h2>" + drawings(compared),
        "<h2>System: differences</h2>" + values(d.system_differences(compared), compared),
        "<h2>Settings: differences</h2>" + values(d.setting_differences(compared), compared),
        "<h2>Seeds</h2>" + seeds(compared, links),
        "<h2>Findings</h2>",
        *(f"<h3>{s.letter} {chip(s.result.standing)}</h3>{findings(s.result.standing, links)}" for s in compared),
    ]
    return page(heading, "\n".join(blocks))


def side_line(s: Side) -> str:
    r = s.result
    worth = f"{show(r.fom)} s" if r.fom is not None else f"no score: {safe(r.why)}" if r.why else ""
    if r.throughput is not None:
        worth = f"{show(r.throughput.models_per_hour)} models per hour"
    return f"<li><b>{s.letter}</b> {breakable(r.label)} {chip(r.standing)} {worth}</li>"


def values(rows: Sequence[tuple[str, list[str]]], compared: Sequence[Side]) -> str:
    """A row a property, a column a set."""
    if not rows:
        return "<p class=soft>none</p>"
    body = [[Cell(breakable(key)), *(Cell(safe(v), class_="name") for v in found)] for key, found in rows]
    return table(("", *(s.letter for s in compared)), body, sortable=False)


def drawings(compared: Sequence[Side]) -> str:
    """Every figure for every set, the same figure of all sets in a row, by one scale."""
    drawn, all_runs = [], [s.runs for s in compared]
    for name, draw in (
        ("convergence", lambda s: charts.curves(s.runs, s.result.one("target"), all_runs)),
        ("where the time went", lambda s: charts.breakdown(s.runs, s.kept, all_runs)),
        ("timeline", lambda s: charts.timeline(s.runs, s.result.weak, all_runs)),
    ):
        drawn.append(figures((f"{s.letter}: {name}", draw(s)) for s in compared))
    return "".join(drawn)


def ratios(pairs: Sequence[Pair], fit: bool) -> str:
    """A row a pair: the ratio, its interval, and the line where both are equally fast."""
    known = [p for p in pairs if p.contrast.ratio is not None]
    if not known or not fit:
        return ""
    ends = [v for p in known for v in (p.contrast.low, p.contrast.high)]
    x = Axis(*bounds([*ends, 1.0], True), 44, 348, True)
    bottom = 20 + 24 * len(known)
    parts = [line([(x(1), 8), (x(1), bottom)], "target")]
    for i, p in enumerate(known):
        y = 20 + 24 * i
        parts.append(line([(x(p.contrast.low), y), (x(p.contrast.high), y)], "whisker"))
        parts.append(element("circle", cx=x(p.contrast.ratio), cy=y, r=4, class_="fom"))
        parts.append(label(36, y + 4, f"A / {p.letter}", "end", class_="tick"))
    parts += [label(x(t), bottom + 14, f"{t:g}", "middle", class_="tick") for t in x.ticks()]
    parts.append(
        label(44, bottom + 30, "A faster", class_="axis") + label(348, bottom + 30, "A slower", "end", class_="axis")
    )
    return figure("".join(parts), bottom + 36, "Ratios of times with their intervals")


def seeds(compared: Sequence[Side], links: Links) -> str:
    """The seeds of each set, linked to their lines, and those of more than one set."""
    rows = []
    for s in compared:
        found = [(run.file, fact) for run in s.runs if (fact := seed(run))]
        told = [links.to(d.plain(fact.value), file, fact.line) for file, fact in found]
        rows.append([Cell(s.letter), Cell(", ".join(told) or "-", class_="name")])
    shared = d.same_seeds(compared)
    warning = f'<p class="why">Logged by more than one set: {safe("; ".join(shared))}</p>' if shared else ""
    return table(("", "seeds"), rows, sortable=False) + warning
