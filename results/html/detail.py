"""The part of the report about one set of runs: its figures, charts, runs, settings and findings."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from compliance.reading.run import Fact, Mark, Run
from compliance.reading.series import Evaluation
from results.differences import has_contact
from results.html import charts
from results.html.charts import Side, sample
from results.html.excerpt import home
from results.html.findings import from_round, groups
from results.html.headings import RUNS, explained
from results.measures.identity import kind_of
from results.measures.measure import over
from results.measures.registry import MEASURES
from results.runs.columns import Row
from results.statistics.expected import reference_epochs
from results.statistics.result import Result
from results.tables.cells import Cell, Line, Table, number, table_of, tone
from results.tables.formatting import cut, finite, quality, show
from results.tables.links import Links, anchor
from results.tables.words import facts, no_score, worth


@dataclass(frozen=True)
class Room:
    """How much of a set a page shows: `drawn` runs in charts, evenly spaced; the first `listed` runs in tables;
    `places` findings of each rule, with `around` lines of the file on either side; `points` of a curve. `whole` pages
    also have timelines, system descriptions, and the places in the log that numbers come from."""

    drawn: int
    listed: int
    places: int
    around: int
    points: int
    whole: bool


FULL = Room(charts.MOST, 100, 3, 2, charts.POINTS, True)
SHORT = Room(8, 10, 1, 0, 40, False)


def room(sets: int) -> Room:
    """How much of each set to show: less if there are many, so that a browser can open a report of a thousand."""
    return FULL if sets <= 100 else SHORT


def detail(r: Result, links: Links, space: Room) -> dict[str, Any]:
    """The values of one set for the template."""
    drawn = sample(r.runs, space.drawn)
    found = [
        charts.curves(charts.each(drawn), r.one("target"), reference_epochs(r), space.points),
        charts.timeline([Side("", drawn, r.kept)], r.weak) if space.whole else None,
    ]
    n = r.score.n
    more = f"Charts show {len(drawn)} of the {n} runs. " if len(drawn) < n else ""
    more += f"The table has the first {space.listed}." if space.listed < n else ""
    return {
        "anchor": anchor(r.name, r.group[2]),
        "result": r,
        "why": unscored(r),
        "kind": f"{kind_of(r.group[3])} {r.group[4]}",
        "worth": worth(r),
        "tone": tone(r.standing),
        "facts": facts(r),
        "charts": [chart for chart in found if chart],
        "runs": run_table(r, links, space),
        "more": more,
        "busy": busy_words([r]),
        "settings": Table(("setting", "value", ""), list(setting_rows(drawn, links)), sortable=False),
        "described": Table(("field", "value"), list(described(r)) if space.whole else [], sortable=False),
        "findings": groups(r.standing, links, home(r.judged), space.places, space.around),
    }


def unscored(r: Result) -> str:
    """Why a set has no score, and where it would stand; "" for a set with a score."""
    return from_round("; ".join(no_score(r)), home(r.judged)).removeprefix("no score: ") if r.why else ""


def busy_words(results: Sequence[Result]) -> str:
    """What "AU" means, a word of DLIO's; "" where no log has waiting times."""
    known = any(MEASURES["au"].get(r) is not None for r in results)
    return f"AU is {MEASURES['au'].meaning.removesuffix(', mean of the runs')}." if known else ""


def run_table(r: Result, links: Links, space: Room) -> Table:
    """The table of runs, without columns that no run has a value of; hovering shows the line of the log that a number
    comes from, if `space` allows."""
    shown = r.rows[: space.listed]
    columns = run_columns(r, links, space.whole)
    known = {name: cell for name, cell in columns.items() if any(cell(run).text not in ("", "-") for run in shown)}
    found = explained(table_of(known, shown, cards=False), RUNS)
    return replace(found, lines=[replace(at, faint=not used) for at, used in zip(found.lines, r.mask, strict=False)])


def run_columns(r: Result, links: Links, placed: bool) -> dict[str, Callable[[Row], Cell]]:
    """The columns of the table of runs; with `placed`, hovering shows the line of the log."""
    target = r.one("target")

    def at(row: Row, line: int | None) -> str:
        return "" if line is None or not placed else links.place(row.run.file, line)

    def of(row: Row, found: Mark | Fact | Evaluation | None) -> str:
        return at(row, found.line if found else None)

    def part(name: str, kind: str = "") -> Callable[[Row], Cell]:
        def cell(row: Row) -> Cell:
            ms, end = getattr(row, f"{name}_ms"), row.run.ends.get(kind)
            return number(ms, show(over(ms, 1000), 3), title=at(row, end) if end else of(row, row.run.start))

        return cell

    def name(row: Row) -> Cell:
        number_of = row.run.number
        return number(number_of, "log" if number_of is None else str(number_of), href=links.to(row.run.file))

    def said(row: Row) -> str:
        if math.isinf(row.seconds):
            return f"not converged: {row.fault}"
        return "" if row.run.path in r.kept else "dropped"

    before = {"staged before, s": part("staged", "staging")} if MEASURES["staged_before_seconds"].get(r) else {}
    return {
        "run": name,
        "seconds": lambda row: number(finite(row.seconds), title=of(row, row.run.stop)),
        "epochs": lambda row: number(row.epochs, title=at(row, row.run.ends.get("epoch"))),
        "quality": lambda row: number(row.quality, quality(row.quality, target), title=of(row, row.run.passing)),
        "seed": lambda row: Cell(row.seed or "-", title=at(row, row.seed_line)),
        "batch": lambda row: number(row.batch, title=of(row, row.run.facts.get("global_batch_size"))),
        **before,
        "staging, s": part("staging", "staging"),
        "training, s": part("training", "epoch"),
        "evaluation, s": part("evaluation", "eval"),
        "rest, s": part("rest"),
        MEASURES["run_samples_per_second"].title: lambda row: number(row.compute_rate, title=of(row, row.run.stop)),
        "AU, %": lambda row: number(row.au, show(over(row.au, 0.01), 1)),
        "": lambda row: Cell(said(row)),
    }


LONGEST = 400  # characters of a setting or field
SKIPPED = {"cache_clear", "seed", "hyperparameters"}


def setting_rows(runs: Sequence[Run], links: Links) -> Iterator[Line]:
    """The settings that the first run logged, and how other runs differ; contacts are left out."""
    for name, fact in runs[0].facts.items() if runs else ():
        if name in SKIPPED or has_contact(name) or fact.value is None:
            continue
        others = {str(run.value(name)) for run in runs} - {str(fact.value)}
        differs = f"differs in other runs: {', '.join(sorted(others))[:120]}" if others else ""
        value = Cell(cut(str(fact.value), LONGEST), title=links.place(runs[0].file, fact.line))
        yield Line([Cell(name[:80]), value, Cell(differs, tone="look" if others else "")])


DESCRIBED = 100  # fields of a system description that are shown


def described(r: Result) -> Iterator[Line]:
    """The fields of the system description; contacts are left out."""
    for name, value in islice(r.judged.description.items(), DESCRIBED):
        if not has_contact(str(name)) and value not in (None, ""):
            yield Line([Cell(str(name)[:80]), Cell(cut(str(value), LONGEST))])
