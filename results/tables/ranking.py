"""The ranking: a table of the sets of one edition, benchmark, problem, scaling and division."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from results.measures.identity import rank_text
from results.measures.measure import over
from results.measures.registry import MEASURES
from results.statistics.expected import expected
from results.statistics.result import Result
from results.tables import hardware
from results.tables.cells import Cell, Table, number, table_of, tone, verdict
from results.tables.expected import expected_words
from results.tables.formatting import interval, minutes, show, with_error
from results.tables.links import Links
from results.tables.words import ends, figure, half, widened

FACTS = ("benchmark", "division", "scaling", "organisation", "verdict")
NONE = Cell("-", None, True)
Column = tuple[str, Callable[[Result], Cell]]  # the measure whose meaning hovering over the heading shows, and the cell
Columns = dict[str, Column]


def ranking(results: Sequence[Result], links: Links) -> Table:
    """The table of a group, with expected times and energy if any set has some."""
    columns = (throughput_columns if results[0].weak else time_columns)(links)
    parts = any((r.mean("passes") or math.inf) < 0.9 * (r.mean("epochs") or 0.0) for r in results)
    columns |= {"passes": measured("passes")} if parts else {}  # where an epoch is a part of a pass
    columns |= {"expected, s": ("expected_seconds", expected_cell)} if any(expected(r)[0] for r in results) else {}
    columns |= ENERGY if any(r.energy for r in results) else {}
    found = table_of({head: cell for head, (_, cell) in columns.items()}, results, facts, wide=hardware.HEAD)
    return replace(found, meanings={head: MEASURES[name].meaning for head, (name, _) in columns.items() if name})


def facts(r: Result) -> dict[str, str]:
    """The facts of a set that tables are filtered by."""
    word = {"bad": "errors", "look": "for review", "clean": "clean"}[tone(r.standing)]
    return dict(zip(FACTS, (r.group[1], r.group[4] or "-", r.group[3], r.org.casefold() or "-", word), strict=True))


def time_columns(links: Links) -> Columns:
    """The columns of sets that train one model."""
    return {
        "rank": ("rank", lambda r: NONE if r.rank is None else Cell(rank_text(r.rank) or "-", sum(r.rank) / 2, True)),
        **common(links),
        "time to train, s": ("fom_seconds", merit),
        "95 %, s": ("fom_low", merit_ends),
        "converged": ("converged", lambda r: Cell(f"{r.score.converged}/{r.score.n}", r.score.converged, True)),
        "epochs": measured("epochs", batch),
        "units": measured("units", units),
        "samples/s": measured("run_samples_per_second"),
        "unit-hours": measured("unit_hours"),
    }


def throughput_columns(links: Links) -> Columns:
    """The columns of throughput sets."""
    return {
        **common(links),
        "models/h": measured("models_per_hour"),
        "models/h a device": measured("models_per_hour_per_unit"),
        "units (T)": measured("total_scale"),
        "of a model (S)": ("instance_scale", size),
        "models (M)": measured("models"),
        "first start to last stop (TTTa), s": measured("ttta_seconds", span),
        "pruned": measured("pruned"),
        "epochs": measured("epochs", batch),
    }


def common(links: Links) -> Columns:
    """The columns that say which set it is: its name is linked to its part of the page."""

    def system(r: Result) -> Cell:
        return Cell(r.system, below=" · ".join(filter(None, (r.org, r.category))), href=links.part(r))

    return {
        "system": ("", system),
        hardware.HEAD: ("", hardware.cell),
        "verdict": ("verdict", lambda r: verdict(r.standing)),
    }


def size(r: Result) -> Cell:
    """The units of a model, or the most that they can be."""
    t = r.throughput
    if t and t.most is not None:
        return number(t.most, f"<= {show(t.most)}")
    return number(t.instance if t else None)


def span(r: Result) -> str:
    """The time from the first start to the last stop, in minutes."""
    return f"{minutes(r.throughput.seconds)} min" if r.throughput else ""


def merit(r: Result) -> Cell:
    """The figure of merit; hovering says why there is none."""
    if r.fom is None:
        return Cell("-", None, True, title=r.why or "")
    return number(r.fom, figure(r), title=f"{r.fom} s", below=f"{minutes(r.fom)} min")


def merit_ends(r: Result) -> Cell:
    """The interval of the figure of merit; hovering says the median."""
    t, middle = r.score.trimmed, r.score.median
    if r.fom is None or t is None or middle is None:
        return NONE
    return Cell(ends(r), t.low, True, f"median {with_error(middle, half(r))}", title=widened(r))


def measured(name: str, below: Callable[[Result], str] = lambda r: "") -> Column:
    """The column of a measure, with the digits that its deviation between runs needs."""
    m = MEASURES[name]
    return name, lambda r: number(m.get(r), with_error(m.get(r), m.error(r) if m.error else None), below=below(r))


def units(r: Result) -> str:
    """What the units are, and the ranks if these are fewer: "accelerators, 4 ranks"; "" if their number is unknown."""
    unit, many, ranks = r.one("unit"), r.one("units"), r.one("ranks")
    if not unit or many is None:
        return ""
    return (unit if many == 1 else f"{unit}s") + (f", {show(ranks)} ranks" if ranks and ranks < many else "")


def batch(r: Result) -> str:
    """The batch size, on which the epochs to the target depend."""
    return "" if r.one("batch") is None else f"batch {show(r.one('batch'))}"


def expected_cell(r: Result) -> Cell:
    """The cell of a set's expected time; hovering says what it is, or why there is none."""
    e = expected(r)[0]
    if e is None:
        return Cell("-", None, True, title=expected_words(r))
    return number(e.seconds, with_error(e.seconds, (e.interval[1] - e.interval[0]) / 2), title=expected_words(r))


def joules(r: Result) -> Cell:
    """The energy in kJ, with the digits that its interval needs."""
    j = r.energy.joules if r.energy else None
    return number(j.mean / 1000, with_error(j.mean / 1000, over(j.half, 1000))) if j else NONE


def joules_ends(r: Result) -> Cell:
    """The interval of the energy in kJ."""
    j = r.energy.joules if r.energy else None
    low, high = (over(end, 1000) for end in ((j.low, j.high) if j else (None, None)))
    return Cell(interval(low, high) or "-", low, True)


ENERGY: Columns = {
    "energy, kJ": ("joules", joules),
    "95 %, kJ": ("joules_low", joules_ends),
    "mean power, W": measured("watts"),
    "energy by": (
        "energy_tier",
        lambda r: Cell(r.energy.tier, title=r.energy.words) if r.energy else Cell("-"),
    ),
}
