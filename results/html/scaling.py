"""Strong scaling of a round: the sets of one machine at several sizes, and what more would buy."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from results.measures.measure import over
from results.statistics.result import Result
from results.tables.cells import Cell, Table, number, table_of
from results.tables.formatting import minutes, show
from results.tables.hardware import machine
from results.tables.links import Links

MORE = 100  # units that a reader may add
FURTHEST = 2.0  # times the largest size: nothing is predicted beyond

Sized = tuple[Result, float, float | None]  # a set, its efficiency, and its predicted seconds with MORE units


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


def table(results: Sequence[Result], links: Links) -> Table | None:
    """The table of all families; None without any."""
    sized = [(r, efficiency(r, of[0]), predicted(of, r.one("units") + MORE)) for of in families(results) for r in of]

    def change(r: Result, seconds: float | None) -> Cell:
        percent = None if seconds is None else 100 * (seconds / time(r) - 1)
        return number(percent, None if percent is None else f"{percent:+.0f}")

    columns: dict[str, Callable[[Sized], Cell]] = {
        "system": lambda s: Cell(s[0].system, below=f"{s[0].org} · {s[0].group[4]}", href=links.part(s[0])),
        "devices": lambda s: number(s[0].one("units")),
        "minutes": lambda s: number(time(s[0]) / 60, minutes(s[0].fom)),
        "efficiency, %": lambda s: number(100 * s[1], show(100 * s[1], 0)),
        f"with {MORE} more devices: minutes, predicted": lambda s: number(over(s[2], 60), minutes(s[2])),
        "change, %": lambda s: change(s[0], s[2]),
    }
    return table_of(columns, sized) if sized else None
