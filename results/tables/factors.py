"""The ratio of two systems' times as a product, in a sentence, as a table, and as JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from results.statistics.factors import Factor, factors
from results.statistics.result import Result
from results.tables.formatting import show

HEAD = ("factor", "of the time of A", "95 % interval", "A", "B")


def sentence(found: Sequence[Factor], a: Result, b: Result, name: str, other: str) -> str:
    """The product in words; "" without factors."""
    if not found or a.fom is None or b.fom is None:
        return ""
    parts = " x ".join(f"{f.value:.3g} ({f.name})" for f in found)
    devices = f"{name}: {show(found[0].a)} {a.one('unit')}s, {other}: {show(found[0].b)} {b.one('unit')}s"
    return f"by figures of merit, {name} takes {a.fom / b.fom:.3g} times as long as {other} = {parts} ({devices})"


def factor_rows(found: Sequence[Factor]) -> list[list[str]]:
    """The rows under HEAD. Evaluation, staging and rest say by how much they lengthen a run."""
    return [[f.name, f"{f.value:.3g}", interval(f), show(f.a), show(f.b)] for f in found]


def interval(f: Factor) -> str:
    """The interval of a factor, "exact" for one without error."""
    return "exact" if f.low is None else f"{f.low:.3g} to {f.high:.3g}"


def factor_records(found: Sequence[Factor]) -> list[dict[str, Any]]:
    """The factors as JSON objects."""
    return [asdict(f) for f in found]


def against_the_fastest(results: Iterable[Result]) -> list[tuple[tuple[str, ...], list[list[str]]]]:
    """(group, rows with the head first): each ranked set's time over the fastest one's, as a product."""
    found = []
    ranked = sorted((r for r in results if r.ranked), key=lambda r: (r.group, r.fom))
    for group, members in groupby(ranked, key=lambda r: r.group):
        first, *others = members
        products = [(r, factors(r, first)) for r in others]
        known = [(r, product) for r, product in products if product]
        if not known:
            continue
        names = [f.name for f in known[0][1]]
        head = ["org", "system", f"times {first.label}", *names]
        rows = [[r.org, r.system, ratio(r, first), *(f"{f.value:.3g}" for f in product)] for r, product in known]
        found.append((group, [head, *rows]))
    return found


def ratio(r: Result, first: Result) -> str:
    """The ratio of two figures of merit."""
    return f"{r.fom / first.fom:.3g}" if r.fom and first.fom else "-"
