"""The HTML report: one self-contained file with tables, charts across submissions, and a part for each set of runs.

`detail.py` makes the part of a set, `across.py` the charts that compare sets. On a site each submission has a page of
its own (`submission_page.py`), to which the round's page links.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from compliance.finding import counted
from results.html import hardware, scaling
from results.html.across import Looks, charts, looks_of, rate_chart
from results.html.cells import Cell, Line, Table, number, tone, verdict
from results.html.charts import HOW, Chart
from results.html.detail import Detail, Room, detail, ends, figure, half, room
from results.html.excerpt import home
from results.html.findings import Group, groups
from results.html.numbers import grouped, with_error
from results.html.page import Links, anchor, page
from results.html.tuning import sections
from results.measures.identity import rank_text
from results.statistics.expected import expected
from results.statistics.result import Result
from results.tables.expected import expected_words
from results.tables.formatting import minutes
from results.tables.input_trials import HEAD, InputTrial, input_trials, ranks_text
from results.tables.rates import HEAD as RATES
from results.tables.rates import Rate, Series, efficiencies, rates, series
from results.tables.text import Places, energy_cells, labelled, slow_words, title, weak_numbers
from results.tuning.score import Scored


@dataclass(frozen=True)
class Ranked:
    """A table of sets of one scaling and division, with a note on slow runs."""

    title: str
    table: Table
    slow: str


@dataclass(frozen=True)
class Section:
    """One edition, benchmark and problem: its tables, the charts over its sets, and the sets."""

    name: str
    anchor: str
    rows: int  # rows of its longest table
    tables: Sequence[Ranked]
    charts: Sequence[tuple[str, Sequence[Chart]]]  # by heading
    scaling: Table | None
    refused: Sequence[tuple[str, str, str]]  # name, link, and why it has no score
    rates: Table | None
    rate_charts: Sequence[Chart]
    rate_findings: Sequence[Group]
    trials: Table | None
    details: Sequence[Detail]


def html_text(results: Sequence[Result], base: Path, left_out: Places = (), tuned: Sequence[Scored] = ()) -> str:
    """The report as one file. Links to logs are relative to `base`, the folder where it will lie; `left_out` is (path,
    why) of what has no result; `tuned` are campaigns of tuning."""
    return report(results, Links(base), left_out, "Results", tuned=tuned)


def report(
    results: Sequence[Result],
    links: Links,
    left_out: Places,
    heading: str,
    code: str = "",
    rules: str = "",
    tuned: Sequence[Scored] = (),
) -> str:
    """The HTML of the report, or of a round's page on a site. On a site `links` lead to the pages of submissions,
    `rules` is the page of the rules, and `code` the file that draws charts."""
    trained = [r for r in results if not r.throughput_only]
    measured = [run for r in results if r.throughput_only for run in r.runs]
    tried = sum(bool(run.trials) for run in measured)
    space, looks = room(len(results)), looks_of(trained)
    found = [section(key, list(of), links, space, looks) for key, of in groupby(results, key=lambda r: r.group[:3])]
    runs = counted(sum(r.score.n for r in trained), "run")
    parts = [f"{counted(len(trained), 'set')} of runs, {runs}"] if trained or not (measured or tuned) else []
    parts += [f"{counted(len(measured) - tried, 'log')} of throughput alone"] if len(measured) > tried else []
    parts += [f"{counted(tried, 'trial')} of the input"] if tried else []
    trials = counted(sum(len(s.trials) for s in tuned), "trial")
    parts += [f"{counted(len(tuned), 'campaign')} of tuning, {trials}"] if tuned else []
    return page(
        "report.html",
        title=heading,
        summary=f"{', and '.join(parts)}.{RANKED if trained or not tuned else ''}",
        sections=found,
        choices=choices(trained),
        left_out=left_out,
        code=code,
        rules=rules,
        alone=len(trained) == 1,
        how=HOW,
        tuned=sections(tuned),
    )


FACTS = ("benchmark", "division", "scaling", "organisation", "verdict")


def choices(results: Sequence[Result]) -> list[tuple[str, dict[str, str]]]:
    """(fact, {value: as shown}) of each fact that tables can be filtered by and that has several values. An
    organisation is one whatever its case."""
    spelled = {r.org.casefold(): r.org for r in sorted(results, key=lambda r: r.org, reverse=True)}
    found = [(name, sorted({facts(r)[name] for r in results})) for name in FACTS]
    shown = [(name, {v: spelled.get(v, v) if name == "organisation" else v for v in values}) for name, values in found]
    return [(name, values) for name, values in shown if len(values) > 1]


def facts(r: Result) -> dict[str, str]:
    """The facts of a set that tables are filtered by."""
    word = {"bad": "errors", "look": "for review", "clean": "clean"}[tone(r.standing)]
    return dict(zip(FACTS, (r.group[1], r.group[4] or "-", r.group[3], r.org.casefold() or "-", word), strict=True))


def section(key: tuple[str, ...], results: list[Result], links: Links, space: Room, looks: Looks) -> Section:
    """The section of one edition, benchmark and problem."""
    alone = [r for r in results if r.throughput_only]
    results = [r for r in results if not r.throughput_only]
    found = rates(alone)
    lines = series(found)
    drawn = [rate_chart([s for s in lines if s.kind == kind], caption) for kind, caption in KINDS.items()]
    said = [groups(r.standing, links, home(r.judged), space.places, space.around) for r in alone]
    return Section(
        name=" · ".join(filter(None, (key[0], labelled(*key[:2]), *key[2:]))),
        anchor=anchor(*key),
        rows=max(len(results), len(found)),
        tables=tables(results, links),
        charts=charts(results, looks),
        scaling=scaling.table(results, lambda r: links.part(r.org, anchor(r.name, r.group[2]))),
        refused=[(r.label, links.part(r.org, anchor(r.name, r.group[2])), r.why) for r in results if r.why],
        rates=Table(RATES[1:], [rate_line(rate, lines, links) for rate in found], cards=True) if found else None,
        rate_charts=[chart for chart in drawn if chart],
        rate_findings=[g for of in said for g in of],
        trials=trial_table(alone, links),
        details=[] if links.pages else [detail(r, links, space, results) for r in results],
    )


def tables(results: Sequence[Result], links: Links) -> list[Ranked]:
    """A table for each scaling and division."""
    found = [(group, list(of)) for group, of in groupby(results, key=lambda r: r.group)]
    return [Ranked(title(("", "", "", *group[3:])), ranking(of, links), slow_words(of)) for group, of in found]


RANKED = (
    " The figure of merit is the mean time to train without the fastest and slowest runs, with its 95 % interval. A "
    "rank is the range of places that a set may have: sets share places if their runs do not show which is faster."
)
STRONG = ("rank", "system", hardware.HEAD, "verdict", "time to train, s", "95 %, s", "converged", "epochs", "units")
STRONG = (*STRONG, "samples/s", "unit-hours")
WEAK = ("system", hardware.HEAD, "verdict", "kind", "models/h", "T units", "S units", "M models", "TTTa, s", "pruned")
WEAK = (*WEAK, "epochs")


def ranking(results: Sequence[Result], links: Links) -> Table:
    """The table of a group, with expected times and energy if any set has some."""
    head, row = (WEAK, weak_row) if results[0].weak else (STRONG, strong_row)
    found = [(head, [row(r, links) for r in results])]
    found += [(("expected, s",), [[expected_cell(r)] for r in results])] if any(expected(r)[0] for r in results) else []
    found += [(ENERGY, [energy_row(r) for r in results])] if any(r.energy for r in results) else []
    lines = [Line([c for _, rows in found for c in rows[i]], facts=facts(r)) for i, r in enumerate(results)]
    return Table([name for names, _ in found for name in names], lines, cards=True)


def expected_cell(r: Result) -> Cell:
    """The cell of a set's expected time; hovering says what it is, or why there is none."""
    e = expected(r)[0]
    if e is None:
        return Cell("-", None, True, title=expected_words(r))
    return number(e.seconds, with_error(e.seconds, (e.interval[1] - e.interval[0]) / 2), title=expected_words(r))


ENERGY = ("energy, kJ", "95 %, kJ", "mean power, W", "energy by")


def energy_row(r: Result) -> list[Cell]:
    """A set's cells under ENERGY, "-" without energy."""
    if r.energy is None:
        return [Cell("-", None, True)] * 3 + [Cell("-")]
    e, (joules, interval, *_) = r.energy, energy_cells(r)
    low = e.joules.low
    return [
        number(e.joules.mean / 1000, joules),
        Cell(interval, None if low is None else low / 1000, True),
        number(e.watts),
        Cell(e.tier, title=e.words),
    ]


def system(r: Result, links: Links) -> Cell:
    below = " · ".join(part for part in (r.org, r.category) if part)
    return Cell(r.system, below=below, href=links.part(r.org, anchor(r.name, r.group[2])))


def strong_row(r: Result, links: Links) -> list[Cell]:
    scored = r.fom is not None
    middle = with_error(r.score.median.value, half(r)) if scored else ""
    place = Cell("-", None, True) if r.rank is None else Cell(rank_text(r.rank), sum(r.rank) / 2, True)
    return [
        place,
        system(r, links),
        hardware.cell(r),
        verdict(r.standing),
        number(r.fom, figure(r), title=f"{r.fom} s", below=f"{minutes(r.fom)} min")
        if scored
        else Cell("-", None, True, title=r.why or ""),
        Cell(ends(r), r.score.trimmed.low, True, f"median {middle}") if scored else Cell("-", None, True),
        Cell(f"{r.score.converged}/{r.score.n}", r.score.converged, True),
        number(r.mean("epochs"), with_error(r.mean("epochs"), r.deviation("epochs"))),
        number(r.one("units"), title=r.one("unit") or ""),
        number(r.mean("train_rate"), with_error(r.mean("train_rate"), r.deviation("train_rate"))),
        number(r.mean("unit_hours"), with_error(r.mean("unit_hours"), r.deviation("unit_hours"))),
    ]


def weak_row(r: Result, links: Links) -> list[Cell]:
    values = weak_numbers(r)
    last = number(values[-1], below="" if values[-1] is None else f"{minutes(values[-1])} min")
    epochs = number(r.mean("epochs"), with_error(r.mean("epochs"), r.deviation("epochs")))
    named = [system(r, links), hardware.cell(r), verdict(r.standing), Cell(r.kind or "-")]
    return [*named, *map(number, values[:-1]), last, number(r.pruned), epochs]


KINDS = {
    "strong": "Strong scaling: the same global batch; dashed: ideal",
    "weak": "Weak scaling: the same batch for each unit; dashed: ideal",
}


def trial_table(results: Sequence[Result], links: Links) -> Table | None:
    """The table of input trials; None without any."""
    lines = [trial_line(trial, links) for trial in input_trials(results)]
    return Table(HEAD[1:], lines, cards=True) if lines else None


def trial_line(trial: InputTrial, links: Links) -> Line:
    """The row of an input trial."""
    t = trial.tried
    return Line(
        [
            Cell(trial.system, below=trial.org),
            Cell(ranks_text(trial.ranks)),
            *map(Cell, (t.emulate, t.format, t.place)),
            *(number(value, title=links.place(trial.log, t.line)) for value in trial.numbers),
            *map(Cell, (t.cache, t.verdict)),
            number(trial.errors, grouped(trial.errors)),
            Cell(trial.log.rpartition("/")[2], href=links.to(trial.log)),
        ]
    )


def rate_line(rate: Rate, lines: Sequence[Series], links: Links) -> Line:
    """The row of a log that measures throughput only."""
    cells = [
        Cell(rate.system, below=rate.org),
        number(rate.units),
        Cell(rate.shape),
        Cell(rate.precision or "-"),
        Cell(rate.settings or "-"),
        number(rate.batch),
        number(rate.rate, title=links.place(rate.log, rate.line)),
        number(rate.rate / rate.units),
        *(Cell(efficiencies(rate, [s for s in lines if s.kind == kind])) for kind in KINDS),
        number(rate.errors, grouped(rate.errors)),
        Cell(rate.log.rpartition("/")[2], href=links.to(rate.log)),
    ]
    return Line(cells)
