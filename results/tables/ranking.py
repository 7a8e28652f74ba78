"""The ranking: a table of the sets of one edition, benchmark, problem, scaling and division."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from results.measures.identity import kind_of, rank_text
from results.measures.registry import MEASURES
from results.statistics.expected import expected
from results.statistics.result import Result
from results.tables import hardware
from results.tables.cells import Cell, Table, number, table_of, tone, verdict
from results.tables.expected import expected_words
from results.tables.formatting import minutes, show
from results.tables.links import Links
from results.tables.record import heading, shown
from results.tables.words import ends, widened

FACTS = ("benchmark", "division", "scaling", "organisation", "verdict")
NONE = Cell("-", None, True)
Columns = dict[str, Callable[[Result], Cell]]  # by the measure, whose heading and meaning a column has


def ranking(results: Sequence[Result], links: Links) -> Table:
    """The table of a group, with expected times and energy if any set has some."""
    columns = (throughput_columns if results[0].weak else time_columns)(links)
    parts = any((r.mean("passes") or math.inf) < 0.9 * (r.mean("epochs") or 0.0) for r in results)
    columns |= {"passes": measured("passes")} if parts else {}  # where an epoch is a part of a pass
    expects = any(expected(r)[0] for r in results)
    columns |= {"expected_seconds": measured("expected_seconds", title=expected_words)} if expects else {}
    columns |= ENERGY if any(r.energy for r in results) else {}
    found = table_of({heading(name): cell for name, cell in columns.items()}, results, facts, wide=hardware.HEAD)
    return replace(found, meanings={heading(name): MEASURES[name].meaning for name in columns if name in MEASURES})


def facts(r: Result) -> dict[str, str]:
    """The facts of a set that tables are filtered by."""
    word = {"bad": "errors", "look": "for review", "clean": "clean"}[tone(r.standing)]
    values = (r.group[1], r.group[4] or "-", kind_of(r.group[3]), r.org.casefold() or "-", word)
    return dict(zip(FACTS, values, strict=True))


def time_columns(links: Links) -> Columns:
    """The columns of sets that train one model."""
    return {
        "rank": lambda r: NONE if r.rank is None else Cell(rank_text(r.rank) or "-", sum(r.rank) / 2, True),
        **common(links),
        "fom_seconds": measured("fom_seconds", below=in_minutes, title=exactly),
        "fom_low": merit_ends,
        "converged": lambda r: Cell(f"{r.score.converged}/{r.score.n}", r.score.converged, True),
        "epochs": measured("epochs", batch),
        "units": measured("units", units),
        "train_samples_per_second": measured("train_samples_per_second"),
        "unit_hours": measured("unit_hours"),
    }


def throughput_columns(links: Links) -> Columns:
    """The columns of throughput sets."""
    return {
        **common(links),
        "models_per_hour": measured("models_per_hour"),
        "models_per_hour_per_unit": measured("models_per_hour_per_unit"),
        "total_scale": measured("total_scale"),
        "instance_scale": size,
        "models": measured("models"),
        "ttta_seconds": measured("ttta_seconds", span),
        "pruned": measured("pruned"),
        "epochs": measured("epochs", batch),
    }


def common(links: Links) -> Columns:
    """The columns that say which set it is: its name is linked to its part of the page."""

    def system(r: Result) -> Cell:
        return Cell(r.system, below=" · ".join(filter(None, (r.org, r.category))), href=links.part(r))

    return {"system": system, hardware.HEAD: hardware.cell, "verdict": lambda r: verdict(r.standing)}


def measured(
    name: str, below: Callable[[Result], str] = lambda r: "", title: Callable[[Result], str] = lambda r: ""
) -> Callable[[Result], Cell]:
    """The cells of a measure; hovering shows `title`."""
    m = MEASURES[name]
    return lambda r: number(m.get(r), shown(m, r, spread=False), below=below(r), title=title(r))


def size(r: Result) -> Cell:
    """The devices of a model, or the most that they can be."""
    t = r.throughput
    if t and t.most is not None:
        return number(t.most, f"<= {show(t.most)}")
    return number(t.instance if t else None)


def span(r: Result) -> str:
    """The time from the first start to the last stop, in minutes."""
    return f"{minutes(r.throughput.seconds)} min" if r.throughput else ""


def in_minutes(r: Result) -> str:
    """The figure of merit in minutes."""
    return "" if r.fom is None else f"{minutes(r.fom)} min"


def exactly(r: Result) -> str:
    """The figure of merit with all its digits, or why there is none."""
    return r.why or "" if r.fom is None else f"{r.fom} s"


def merit_ends(r: Result) -> Cell:
    """The interval of the figure of merit, with the median; hovering says whether it is widened."""
    if r.fom is None or r.score.trimmed is None:
        return NONE
    return Cell(ends(r), r.score.trimmed.low, True, f"median {shown(MEASURES['median_seconds'], r)}", title=widened(r))


def units(r: Result) -> str:
    """What the devices are, and the ranks if these are fewer: "accelerators, 4 ranks"; "" if their number is
    unknown."""
    unit, many, ranks = r.one("unit"), r.one("units"), r.one("ranks")
    if not unit or many is None:
        return ""
    return (unit if many == 1 else f"{unit}s") + (f", {show(ranks)} ranks" if ranks and ranks < many else "")


def batch(r: Result) -> str:
    """The batch size, on which the epochs to the target depend."""
    return "" if r.one("batch") is None else f"batch {show(r.one('batch'))}"


def joules_ends(r: Result) -> Cell:
    """The interval of the energy in kJ."""
    low, high = (MEASURES[f"joules_{end}"] for end in ("low", "high"))
    return NONE if low.get(r) is None else Cell(f"{shown(low, r)} to {shown(high, r)}", low.get(r), True)


def by(r: Result) -> Cell:
    """What measured the energy."""
    return Cell(r.energy.tier, title=r.energy.words) if r.energy else Cell("-")


ENERGY: Columns = {
    "joules": measured("joules"),
    "joules_low": joules_ends,
    "watts": measured("watts"),
    "energy_tier": by,
}
