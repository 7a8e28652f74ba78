"""Strong scaling of a round: the sets of one machine at several sizes, and what more would buy."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from results.html.cells import Cell, Line, Table, number
from results.html.hardware import machine
from results.html.numbers import grouped
from results.statistics.result import Result

MORE = 100  # units that a reader may add
FURTHEST = 2.0  # times the largest size: nothing is predicted beyond


def families(results: Sequence[Result]) -> list[list[Result]]:
    """The scored sets of each machine and division at two sizes or more, smallest first; of several sets of one size
    the fastest."""
    found: dict[tuple, dict[float, Result]] = {}
    for r in sorted((r for r in results if r.fom and r.one("units")), key=lambda r: r.fom or 0.0):
        found.setdefault((*machine(r), r.group), {}).setdefault(r.one("units"), r)
    return [[sizes[units] for units in sorted(sizes)] for sizes in found.values() if len(sizes) > 1]


def efficiency(r: Result, least: Result) -> float:
    """The work of a unit relative to the smallest system's: 1 where time falls as units grow."""
    return least.fom * least.one("units") / (r.fom * r.one("units"))


def predicted(family: Sequence[Result], units: float) -> float | None:
    """Seconds at a number of units: a power law between the neighbouring sizes, or that of the two largest beyond them;
    None below the smallest size, or beyond FURTHEST times the largest."""
    places = [(math.log(r.one("units")), math.log(r.fom)) for r in family]
    at = math.log(units)
    if not places[0][0] <= at <= places[-1][0] + math.log(FURTHEST):
        return None
    (a, b), (c, d) = next((pair for pair in pairwise(places) if at <= pair[1][0]), (places[-2], places[-1]))
    return math.exp(b + (d - b) * (at - a) / (c - a))


HEAD = ("system", "units", "minutes", "efficiency, %", f"with {MORE} more units: minutes, predicted", "change, %")


def table(results: Sequence[Result], link: Callable[[Result], str]) -> Table | None:
    """The table of all families, its systems linked to `link`; None without any."""
    lines = [Line(row(r, family, link(r))) for family in families(results) for r in family]
    return Table(HEAD, lines, cards=True) if lines else None


def row(r: Result, family: Sequence[Result], href: str) -> list[Cell]:
    """The cells of a set under HEAD."""
    seconds = predicted(family, r.one("units") + MORE)
    share = 100 * efficiency(r, family[0])
    change = None if seconds is None else 100 * (seconds / r.fom - 1)
    return [
        Cell(r.system, below=f"{r.org} · {r.group[4]}", href=href),
        number(r.one("units")),
        number(r.fom / 60, grouped(r.fom / 60, 2)),
        number(share, grouped(share, 0)),
        number(seconds and seconds / 60, seconds and grouped(seconds / 60, 2)),
        number(change, None if change is None else f"{change:+.0f}"),
    ]
