"""The ranking: a table of the sets of one edition, benchmark, problem, scaling and division."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from results.measures.identity import rank_text
from results.measures.measure import over
from results.measures.registry import MEASURES
from results.statistics.energy import SetEnergy
from results.statistics.expected import expected
from results.statistics.result import Result
from results.tables import hardware
from results.tables.cells import Cell, Table, number, table_of, tone, verdict
from results.tables.expected import expected_words
from results.tables.formatting import interval, minutes, show, with_error
from results.tables.links import Links
from results.tables.scaling import one
from results.tables.words import ends, figure, half, widened

FACTS = ("benchmark", "division", "scaling", "organisation", "verdict")
NONE = Cell("-", None, True)
Columns = dict[str, Callable[[Result], Cell]]
MEANT = {  # heading: the measure whose meaning hovering shows
    "rank": "rank", "verdict": "verdict", "converged": "converged", "epochs": "epochs", "passes": "passes",
    "units": "units",
    "time to train, s": "fom_seconds", "95 %, s": "fom_low", "samples/s": "run_samples_per_second",
    "unit-hours": "unit_hours", "expected, s": "expected_seconds", "models/h": "models_per_hour",
    "models/h a device": "models_per_hour_per_unit", "units (T)": "total_scale", "of a model (S)": "instance_scale",
    "models (M)": "models", "first start to last stop (TTTa), s": "ttta_seconds", "pruned": "pruned",
    "energy, kJ": "joules", "95 %, kJ": "joules_low", "mean power, W": "watts", "energy by": "energy_tier",
}  # fmt: skip


def ranking(results: Sequence[Result], links: Links) -> Table:
    """The table of a group, with expected times and energy if any set has some."""
    columns = (throughput_columns if results[0].weak else time_columns)(links)
    columns |= {"passes": measured("passes")} if any(parts_of_a_pass(r) for r in results) else {}
    columns |= {"expected, s": expected_cell} if any(expected(r)[0] for r in results) else {}
    columns |= ENERGY if any(r.energy for r in results) else {}
    found = table_of(columns, results, facts, wide=hardware.HEAD)
    return replace(found, meanings={head: MEASURES[MEANT[head]].meaning for head in columns if head in MEANT})


def parts_of_a_pass(r: Result) -> bool:
    """Whether what a set's logs call an epoch is a part of a pass over the training data."""
    return (r.mean("passes") or math.inf) < 0.9 * (r.mean("epochs") or 0.0)


def facts(r: Result) -> dict[str, str]:
    """The facts of a set that tables are filtered by."""
    word = {"bad": "errors", "look": "for review", "clean": "clean"}[tone(r.standing)]
    return dict(zip(FACTS, (r.group[1], r.group[4] or "-", r.group[3], r.org.casefold() or "-", word), strict=True))


def time_columns(links: Links) -> Columns:
    """The columns of sets that train one model."""
    return {
        "rank": lambda r: NONE if r.rank is None else Cell(rank_text(r.rank) or "-", sum(r.rank) / 2, True),
        "system": lambda r: system(r, links),
        hardware.HEAD: hardware.cell,
        "verdict": lambda r: verdict(r.standing),
        "time to train, s": merit,
        "95 %, s": merit_ends,
        "converged": lambda r: Cell(f"{r.score.converged}/{r.score.n}", r.score.converged, True),
        "epochs": measured("epochs", batch),
        "units": measured("units", units),
        "samples/s": measured("run_samples_per_second"),
        "unit-hours": measured("unit_hours"),
    }


def throughput_columns(links: Links) -> Columns:
    """The columns of throughput sets."""
    return {
        "system": lambda r: system(r, links),
        hardware.HEAD: hardware.cell,
        "verdict": lambda r: verdict(r.standing),
        "models/h": measured("models_per_hour"),
        "models/h a device": measured("models_per_hour_per_unit"),
        "units (T)": measured("total_scale"),
        "of a model (S)": size,
        "models (M)": measured("models"),
        "first start to last stop (TTTa), s": span,
        "pruned": measured("pruned"),
        "epochs": measured("epochs", batch),
    }


def size(r: Result) -> Cell:
    """The units of a model, or the most that they can be."""
    t = r.throughput
    if t and t.most is not None:
        return number(t.most, f"<= {show(t.most)}")
    return number(t.instance if t else None)


def span(r: Result) -> Cell:
    """The time from the first start to the last stop, in seconds and minutes."""
    t = r.throughput
    return number(t.seconds, below=f"{minutes(t.seconds)} min") if t else NONE


def system(r: Result, links: Links) -> Cell:
    """The system's name, linked to its part of the page, with organisation and category."""
    return Cell(r.system, below=" · ".join(part for part in (r.org, r.category) if part), href=links.part(r))


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


def measured(name: str, below: Callable[[Result], str] = lambda r: "") -> Callable[[Result], Cell]:
    """The column of a measure, with the digits that its deviation between runs needs."""
    m = MEASURES[name]
    return lambda r: number(m.get(r), with_error(m.get(r), m.error(r) if m.error else None), below=below(r))


def units(r: Result) -> str:
    """What the units are, and the ranks if these are fewer: "accelerators, 4 ranks"; "" if their number is unknown."""
    unit, many, ranks = r.one("unit"), r.one("units"), one(r.runs, "number_of_ranks")
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


def of_energy(of: Callable[[SetEnergy], Cell]) -> Callable[[Result], Cell]:
    """What follows from a set's energy, "-" without."""
    return lambda r: of(r.energy) if r.energy else NONE


def joules(e: SetEnergy) -> Cell:
    """The energy in kJ, with the digits that its interval needs."""
    return number(e.joules.mean / 1000, with_error(e.joules.mean / 1000, over(e.joules.half, 1000)))


def joules_ends(e: SetEnergy) -> Cell:
    """The interval of the energy in kJ."""
    low, high = over(e.joules.low, 1000), over(e.joules.high, 1000)
    return Cell(interval(low, high) or "-", low, True)


ENERGY: Columns = {
    "energy, kJ": of_energy(joules),
    "95 %, kJ": of_energy(joules_ends),
    "mean power, W": measured("watts"),
    "energy by": lambda r: Cell(r.energy.tier, title=r.energy.words) if r.energy else Cell("-"),
}
