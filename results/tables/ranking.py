"""The ranking: a table of the sets of one edition, benchmark, problem, scaling and division."""

from collections.abc import Sequence

from results.measures.identity import rank_text
from results.statistics.expected import expected
from results.statistics.result import Result
from results.tables import hardware
from results.tables.cells import Cell, Line, Table, number, tone, verdict
from results.tables.expected import expected_words
from results.tables.formatting import interval, minutes, show, with_error
from results.tables.links import Links
from results.tables.words import ends, figure, half

FACTS = ("benchmark", "division", "scaling", "organisation", "verdict")
NONE = Cell("-", None, True)
STRONG: tuple[str, ...] = (
    "rank",
    "system",
    hardware.HEAD,
    "verdict",
    "time to train, s",
    "95 %, s",
    "converged",
    "epochs",
    "units",
    "samples/s",
    "unit-hours",
)
WEAK: tuple[str, ...] = (
    "system",
    hardware.HEAD,
    "verdict",
    "kind",
    "models/h",
    "T units",
    "S units",
    "M models",
    "TTTa, s",
    "pruned",
    "epochs",
)
ENERGY: tuple[str, ...] = ("energy, kJ", "95 %, kJ", "mean power, W", "energy by")


def ranking(results: Sequence[Result], links: Links) -> Table:
    """The table of a group, with expected times and energy if any set has some."""
    head, row = (WEAK, weak_row) if results[0].weak else (STRONG, strong_row)
    found = [(head, [row(r, links) for r in results])]
    found += [(("expected, s",), [[expected_cell(r)] for r in results])] if any(expected(r)[0] for r in results) else []
    found += [(ENERGY, [energy_row(r) for r in results])] if any(r.energy for r in results) else []
    lines = [Line([c for _, rows in found for c in rows[i]], facts=facts(r)) for i, r in enumerate(results)]
    return Table([name for names, _ in found for name in names], lines, cards=True, wide=hardware.HEAD)


def facts(r: Result) -> dict[str, str]:
    """The facts of a set that tables are filtered by."""
    word = {"bad": "errors", "look": "for review", "clean": "clean"}[tone(r.standing)]
    return dict(zip(FACTS, (r.group[1], r.group[4] or "-", r.group[3], r.org.casefold() or "-", word), strict=True))


def strong_row(r: Result, links: Links) -> list[Cell]:
    """The cells of a set under STRONG."""
    place = NONE if r.rank is None else Cell(rank_text(r.rank) or "-", sum(r.rank) / 2, True)
    return [
        place,
        system(r, links),
        hardware.cell(r),
        verdict(r.standing),
        *merit(r),
        Cell(f"{r.score.converged}/{r.score.n}", r.score.converged, True),
        epochs(r),
        number(r.one("units"), below=units(r)),
        mean(r, "train_rate"),
        mean(r, "unit_hours"),
    ]


def weak_row(r: Result, links: Links) -> list[Cell]:
    """The cells of a throughput set under WEAK."""
    t = r.throughput
    size = number(t.instance if t else None)
    if t and t.most is not None:
        size = number(t.most, f"<= {show(t.most)}")
    scored = [
        number(t.models_per_hour if t else None),
        number(t.total if t else None),
        size,
        number(t.models if t else None),
        number(t.seconds, below=f"{minutes(t.seconds)} min") if t else NONE,
    ]
    named = [system(r, links), hardware.cell(r), verdict(r.standing), Cell(r.kind or "-")]
    return [*named, *scored, number(r.pruned), epochs(r)]


def system(r: Result, links: Links) -> Cell:
    """The system's name, linked to its part of the page, with organisation and category."""
    return Cell(r.system, below=" · ".join(part for part in (r.org, r.category) if part), href=links.part(r))


def merit(r: Result) -> list[Cell]:
    """Figure of merit and interval."""
    t, middle = r.score.trimmed, r.score.median
    if r.fom is None or t is None or middle is None:
        return [Cell("-", None, True, title=r.why or ""), NONE]
    return [
        number(r.fom, figure(r), title=f"{r.fom} s", below=f"{minutes(r.fom)} min"),
        Cell(ends(r), t.low, True, f"median {with_error(middle.value, half(r))}"),
    ]


def mean(r: Result, column: str, below: str = "") -> Cell:
    """The mean of a column of the runs."""
    return number(r.mean(column), with_error(r.mean(column), r.deviation(column)), below=below)


def units(r: Result) -> str:
    """What the units are: "accelerators"; "" if their number is unknown."""
    unit, many = r.one("unit"), r.one("units")
    return "" if not unit or many is None else unit if many == 1 else f"{unit}s"


def epochs(r: Result) -> Cell:
    """The epochs to the target, and the batch size, on which they depend."""
    return mean(r, "epochs", "" if r.one("batch") is None else f"batch {show(r.one('batch'))}")


def expected_cell(r: Result) -> Cell:
    """The cell of a set's expected time; hovering says what it is, or why there is none."""
    e = expected(r)[0]
    if e is None:
        return Cell("-", None, True, title=expected_words(r))
    return number(e.seconds, with_error(e.seconds, (e.interval[1] - e.interval[0]) / 2), title=expected_words(r))


def energy_row(r: Result) -> list[Cell]:
    """A set's cells under ENERGY, "-" without energy."""
    if r.energy is None:
        return [NONE, NONE, NONE, Cell("-")]
    e = r.energy
    joules, low, high = (None if j is None else j / 1000 for j in (e.joules.mean, e.joules.low, e.joules.high))
    error = None if low is None or high is None else (high - low) / 2
    return [
        number(joules, with_error(joules, error)),
        Cell(interval(low, high) or "-", low, True),
        number(e.watts),
        Cell(e.tier, title=e.words),
    ]
