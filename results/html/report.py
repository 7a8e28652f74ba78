"""The HTML report: results in sortable tables, each submission's runs, and figures across submissions.

One self-contained file. `detail.py` draws what is folded under each submission.
"""

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from results.html import charts
from results.html.detail import Room, detail, room
from results.html.page import (
    Cell,
    Links,
    anchor,
    breakable,
    chip,
    figures,
    number_cell,
    page,
    safe,
    table,
    text_cell,
)
from results.html.plots import joint, scaling, styles
from results.html.rate_plots import throughput_alone
from results.html.svg import Axis, bounds
from results.statistics.result import Result
from results.statistics.standing import counted
from results.tables.formatting import minutes, show
from results.tables.record import rank_text
from results.tables.text import Places, title


def html_text(results: Sequence[Result], base: Path, left_out: Places = (), heading: str = "Results") -> str:
    """The report; links to logs are relative to `base`, the folder where it will lie. `left_out` (path, why) has no
    result."""
    links = Links(base)
    trained = [r for r in results if not r.throughput_only]
    measured = sum(len(r.rows) for r in results if r.throughput_only)
    also = f", and {counted(measured, 'log')} of throughput alone" if measured else ""
    intro = (
        f"<h1>{safe(heading)}</h1><p class=soft>{counted(len(trained), 'set')} of runs, "
        f"{counted(sum(r.score.n for r in trained), 'run')}{also}. The figure of merit (FOM) is the mean time to train "
        "without the fastest and slowest runs, with its 95 % interval; ranks are ranges among sets that cannot be told "
        "apart by their ratios, corrected for all pairs. "
        "Numbers link to what they come from: a set's to its runs, a run's to lines of its log.</p>"
    )
    tools = (
        '<p class="tools"><button type="button" data-open="yes">open all submissions</button> '
        '<button type="button" data-open="no">close all</button></p>'
    )
    sections = [(key, list(found)) for key, found in groupby(results, key=lambda r: r.group[:3])]
    nav = "".join(f'<li><a href="#{anchor("problem", *key)}">{safe(name(key))}</a></li>' for key, _ in sections)
    space = room(len(results))
    body = "\n".join(section(key, found, links, space) for key, found in sections)
    return page(heading, f"{intro}<nav aria-label=Contents><ul>{nav}</ul></nav>{tools}\n{body}{without(left_out)}")


def without(left_out: Places) -> str:
    """What has no result, and why."""
    lines = "".join(f"<li>{safe(path)}: {safe(why)}</li>" for path, why in left_out)
    return f'<section><h2>No result</h2><ul class="findings">{lines}</ul></section>' if lines else ""


def name(key: tuple[str, ...]) -> str:
    return " · ".join(part for part in key if part)


def section(key: tuple[str, ...], results: list[Result], links: Links, space: Room) -> str:
    """One edition, benchmark and problem: its tables, its plots, its submissions."""
    alone = throughput_alone([r for r in results if r.throughput_only], links)
    results = [r for r in results if not r.throughput_only]
    look = styles(results)
    tables = "".join(
        f"<h3>{safe(title(group))}</h3>{ranking(list(found), look)}"
        for group, found in groupby(results, key=lambda r: r.group)
    )
    drawn = figures((caption, svg) for caption, svg in zip(CAPTIONS, [*joint(results), *scaling(results)], strict=True))
    note = (
        "<p class=soft>Letters as in the tables; a colour and a shape for each organisation; hollow: open division.</p>"
    )
    sets = "\n".join(detail(r, look[r.name].letter, links, space) for r in results)
    plots = f"<h3>Side by side</h3>{note}{drawn}" if drawn else ""
    head = f'<h2 id="{anchor("problem", *key)}">{safe(name(key))}</h2>'
    listed = f"<h3>Submissions</h3>{sets}" if results else ""
    return f"<section>{head}{tables}{plots}{alone}{listed}</section>"


CAPTIONS = (
    "What batch size costs: epochs to the target",
    "What size buys: training throughput",
    "Both: lines of equal computing time",
    "Strong scaling: minutes to train; dashed: ideal",
    "Weak scaling: models per hour; dashed: ideal",
)


def ranking(results: list[Result], look: dict) -> str:
    """The sortable table of a group."""
    if results[0].weak:
        return table(WEAK, [weak_row(r, look[r.name].letter) for r in results], cards=True)
    foms = [t for r in results if r.fom is not None for t in r.seconds if math.isfinite(t)]
    x = Axis(*bounds(foms, True, 0.05), 4, 128, True)
    energy = any(r.mean("joules") for r in results)
    rows = [strong_row(r, look[r.name].letter, x, energy) for r in results]
    return table(STRONG if energy else STRONG[:-1], rows, cards=True)


STRONG = (
    "",
    "rank",
    "organisation",
    "system",
    "verdict",
    "FOM, s",
    "FOM, min",
    "runs and interval",
    "95 %, s",
    "median, s",
)
STRONG = (*STRONG, "converged", "epochs", "units", "samples/s", "unit-hours", "category", "kJ")
WEAK = ("", "organisation", "system", "verdict", "models/h", "T units", "S units", "M models", "TTTa, s", "TTTa, min")
WEAK = (*WEAK, "pruned", "epochs", "category")


def strong_row(r: Result, letter: str, x: Axis, energy: bool) -> list[Cell]:
    t = r.score.trimmed
    joules = r.mean("joules")
    cells = [
        text_cell(letter, "letter"),
        number_cell(None if r.rank is None else sum(r.rank) / 2, rank_text(r.rank)),
        text_cell(r.org, "name"),
        Cell(to_set(r, r.system), class_="name"),
        Cell(chip(r.standing)),
        number_cell(r.fom, html=to_set(r, show(r.fom)) if r.fom else None),
        of_set(r, None if r.fom is None else r.fom / 60, minutes(r.fom)),
        Cell(charts.error_bar(r.seconds, r.fom, t.low, t.high, x) if r.fom else "", r.fom, True),
        number_cell(None, spelled(r)) if r.fom is None or t.low is None else of_set(r, t.high - t.low, spelled(r)),
        of_set(r, r.score.median.value if r.fom else None),
        of_set(r, r.score.converged, f"{r.score.converged}/{r.score.n}"),
        of_set(r, r.mean("epochs")),
        of_set(r, r.one("units")),
        of_set(r, r.mean("compute_rate")),
        of_set(r, r.mean("unit_hours")),
        text_cell(r.category),
    ]
    return [*cells, of_set(r, None if joules is None else joules / 1000)] if energy else cells


def spelled(r: Result) -> str:
    t = r.score.trimmed
    return "-" if r.fom is None else "not estimable" if t.low is None else f"{show(t.low)} to {show(t.high)}"


def weak_row(r: Result, letter: str) -> list[Cell]:
    t = r.throughput
    values = [t.models_per_hour, t.total, t.instance, t.models, t.seconds] if t else [None] * 5
    return [
        text_cell(letter, "letter"),
        text_cell(r.org, "name"),
        Cell(to_set(r, r.system), class_="name"),
        Cell(chip(r.standing)),
        *(of_set(r, v) for v in values),
        of_set(r, t.seconds / 60 if t else None, minutes(t.seconds if t else None)),
        of_set(r, r.pruned),
        of_set(r, r.mean("epochs")),
        text_cell(r.category),
    ]


def to_set(r: Result, shown: str) -> str:
    return f'<a href="#{anchor("set", r.name)}">{breakable(shown)}</a>'


def of_set(r: Result, value: float | None, shown: str | None = None) -> Cell:
    """A number of a set, linked to the runs that it comes from."""
    link = f'<a class="quiet" href="#{anchor("set", r.name)}">{safe(shown or show(value))}</a>'
    return number_cell(value, html=None if value is None else link)
