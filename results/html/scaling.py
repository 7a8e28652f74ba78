"""Strong scaling of a round: the sets of one machine at several sizes, and what more would buy."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from results.statistics.result import Result
from results.tables.cells import Cell, Line, Table, number
from results.tables.formatting import minutes, show
from results.tables.hardware import machine
from results.tables.links import Links

MORE = 100  # units that a reader may add
FURTHEST = 2.0  # times the largest size: nothing is predicted beyond


def families(results: Sequence[Result]) -> list[list[Result]]:
    """The scored sets of each machine and division at two sizes or more, smallest first; of several sets of one size
    the fastest."""
    found: dict[tuple[Any, ...], dict[float, Result]] = {}
    for r in sorted((r for r in results if r.fom and r.one("units")), key=lambda r: r.fom or 0.0):
        found.setdefault((*machine(r), r.group), {}).setdefault(r.one("units"), r)
    return [[sizes[units] for units in sorted(sizes)] for sizes in found.values() if len(sizes) > 1]


def efficiency(r: Result, least: Result) -> float:
    """The work of a unit relative to the smallest system's: 1 where time falls as units grow."""
    return time(least) * float(least.one("units")) / (time(r) * float(r.one("units")))


def time(r: Result) -> float:
    """The figure of merit of a set that has one."""
    return math.nan if r.fom is None else r.fom


def predicted(family: Sequence[Result], units: float) -> float | None:
    """Seconds at a number of units: a power law between the neighbouring sizes, or that of the two largest beyond them;
    None below the smallest size, or beyond FURTHEST times the largest."""
    places = [(math.log(r.one("units")), math.log(time(r))) for r in family]
    at = math.log(units)
    if not places[0][0] <= at <= places[-1][0] + math.log(FURTHEST):
        return None
    (a, b), (c, d) = next((pair for pair in pairwise(places) if at <= pair[1][0]), (places[-2], places[-1]))
    return math.exp(b + (d - b) * (at - a) / (c - a))


HEAD = ("system", "units", "minutes", "efficiency, %", f"with {MORE} more units: minutes, predicted", "change, %")


def table(results: Sequence[Result], links: Links) -> Table | None:
    """The table of all families; None without any."""
    lines = [Line(row(r, family, links.part(r))) for family in families(results) for r in family]
    return Table(HEAD, lines, cards=True) if lines else None


def row(r: Result, family: Sequence[Result], href: str) -> list[Cell]:
    """The cells of a set under HEAD."""
    seconds = predicted(family, r.one("units") + MORE)
    share = 100 * efficiency(r, family[0])
    change = None if seconds is None else 100 * (seconds / time(r) - 1)
    return [
        Cell(r.system, below=f"{r.org} · {r.group[4]}", href=href),
        number(r.one("units")),
        number(time(r) / 60, minutes(r.fom)),
        number(share, show(share, 0)),
        number(seconds and seconds / 60, minutes(seconds)),
        number(change, None if change is None else f"{change:+.0f}"),
    ]
