"""The ratio of two systems' times as a product, in a sentence and as a table."""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

from results.measures.measure import over
from results.statistics.factors import PARTS, RATE, STAGED_RATE, Factor, factors
from results.statistics.result import Result
from results.tables.cells import Cell, Line, Table, number
from results.tables.formatting import show, times, times_between
from results.tables.links import Links

NAMES = ("devices", RATE, STAGED_RATE, "samples to the target", *PARTS[1:])  # of factors, in the order of columns
NONE = number(None)
MATTERS = 0.01  # of the whole time: a smaller gain is not named
Products = list[tuple[Result, list[Factor]]]  # sets, each with the factors of its time over another's


def sentence(found: Sequence[Factor], a: Result, b: Result, name: str, other: str) -> str:
    """The product in words; "" without factors."""
    if not found or a.fom is None or b.fom is None:
        return ""
    parts = " x ".join(f"{value(f)} ({f.name})" for f in found)
    devices = f"{name}: {show(found[0].a)} {a.one('unit')}s, {other}: {show(found[0].b)} {b.one('unit')}s"
    return f"by figures of merit, {name} takes {ratio(a, b)} times as long as {other} = {parts} ({devices})"


def better(found: Sequence[Factor], a: Result, b: Result) -> str:
    """What A does better than B, whatever its whole time, in words; "" for nothing: rate and samples whose factor is
    surely below 1, and the other parts of the time that take fewer seconds, as far as it matters to the whole."""
    names = [f.name for f in found if f.name not in PARTS and f.high is not None and f.high < 1]
    for part in PARTS[1:]:
        own, other = (over(r.mean(f"{part}_ms"), 1000) for r in (a, b))
        if own is not None and other is not None and other - own > MATTERS * (a.fom or math.inf):
            names.append(f"{part} ({show(own, 1)} s, {show(other, 1)} s)")
    return ", ".join(names)


def ratio(a: Result, b: Result) -> str:
    """The ratio of two figures of merit to three digits."""
    return times(a.fom / b.fom) if a.fom and b.fom else "-"


def value(f: Factor) -> str:
    """A factor with as many digits as its interval needs."""
    return times(f.value, f.low, f.high)


def interval(f: Factor) -> str:
    """The interval of a factor, "exact" for one without error."""
    return "exact" if f.low is None or f.high is None else times_between(f.low, f.high)


def factor_rows(found: Sequence[Factor]) -> list[list[str]]:
    """(factor, value, interval, the value of each system behind it) of each factor. Evaluation, staging and rest say by
    how much they lengthen a run."""
    return [[f.name, value(f), interval(f), show(f.a), show(f.b)] for f in found]


def against_the_fastest(results: Iterable[Result]) -> list[tuple[Result, Products]]:
    """(fastest set, the others with the factors of their time over its) of each group of ranked sets that has some."""
    found = []
    ranked = sorted((r for r in results if r.ranked), key=lambda r: (r.group, r.fom))
    for _, members in groupby(ranked, key=lambda r: r.group):
        first, *others = members
        if known := [(r, product) for r in others if (product := factors(r, first))]:
            found.append((first, known))
    return found


def product_table(first: Result, found: Products, links: Links) -> Table:
    """Each set's time over the fastest one's, as a product: a column for each factor that some set has."""
    names = sorted({f.name for _, product in found for f in product}, key=NAMES.index)
    lines = []
    for r, product in found:
        known = {f.name: number(f.value, value(f), below="" if f.low is None else interval(f)) for f in product}
        cells = [known.get(name, NONE) for name in names]
        times = number(None if not (r.fom and first.fom) else r.fom / first.fom, ratio(r, first))
        lines.append(Line([Cell(r.system, below=r.org, href=links.part(r)), times, *cells]))
    return Table(["system", f"time over that of {first.label}", *names], lines, cards=True)
