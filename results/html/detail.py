"""The part of the report about one set of runs: its figures, charts, runs, settings and findings."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from compliance.reading.run import Run
from results.html import charts
from results.html.cells import Cell, Line, Table, number, tone
from results.html.charts import Chart, Side, sample
from results.html.excerpt import CONTACT, excerpts, home
from results.html.findings import Group, groups
from results.html.numbers import grouped, interval, plus_minus, quality, with_error
from results.html.page import Links, anchor
from results.runs.columns import Row
from results.statistics.result import REFERENCE, Result, converged_columns, published_epochs
from results.tables.expected import expected_words
from results.tables.formatting import minutes
from results.tables.text import energy_words, median_words, slow_of, spread_words, surprise_words
from results.tables.utilization import epochs_words, utilization_words


@dataclass(frozen=True)
class Room:
    """How much of a set a page shows: `drawn` runs in charts, evenly spaced; the first `listed` runs in tables;
    `places` findings of each rule, with `around` lines of the file on either side; `points` of a curve. `whole` pages
    also have timelines, system descriptions, and the lines of the log that numbers come from."""

    drawn: int
    listed: int
    places: int
    around: int
    points: int
    whole: bool


def room(sets: int) -> Room:
    """How much of each set to show: less if there are many sets, so that a browser can open a report of a thousand."""
    many = max(1, sets)
    drawn, listed = max(8, min(charts.MOST, 8000 // many)), max(10, min(100, 10_000 // many))
    few = sets <= 100
    return Room(drawn, listed, 3 if few else 1, 2 if few else 0, max(20, min(charts.POINTS, 40_000 // many)), few)


@dataclass(frozen=True)
class Detail:
    """The values of one set for the template."""

    anchor: str
    result: Result
    worth: str
    tone: str
    facts: Sequence[tuple[str, str]]
    charts: Sequence[Chart]
    runs: Table
    more: str
    sources: Sequence[tuple[str, int, str]]
    settings: Table
    described: Table
    findings: Sequence[Group]


def detail(r: Result, links: Links, space: Room, others: Sequence[Result] = ()) -> Detail:
    """The values of one set; `others` are all sets of the report, the reference among them."""
    drawn = sample(r.runs, space.drawn)
    kept = frozenset(run.path for run, used in zip(r.runs, r.mask, strict=True) if used)
    side = [Side("", drawn, kept)]
    found = [
        charts.curves(charts.each(drawn), r.one("target"), reference_epochs(r, others), space.points, slow_of(r)),
        charts.time(side),
        charts.timeline(side, r.weak) if space.whole else None,
    ]
    n = r.score.n
    more = f"Charts show {len(drawn)} of the {n} runs. " if len(drawn) < n else ""
    more += f"The table has the first {space.listed}." if space.listed < n else ""
    place = home(r.judged)
    return Detail(
        anchor=anchor(r.name, r.group[2]),
        result=r,
        worth=worth(r),
        tone=tone(r.standing),
        facts=facts(r),
        charts=[chart for chart in found if chart],
        runs=run_table(r, links, space),
        more=more,
        sources=list(sources(r.rows[: space.listed], place, links)) if space.whole else [],
        settings=Table(("setting", "value", ""), list(setting_rows(drawn, links)), sortable=False),
        described=Table(("field", "value"), list(described(r)) if space.whole else [], sortable=False),
        findings=groups(r.standing, links, place, space.places, space.around),
    )


def reference_epochs(r: Result, others: Sequence[Result]) -> Sequence[float]:
    """The epochs of the reference at the set's batch size: those that the edition publishes, or else those of the
    reference's submission; () if there are none."""
    if published := published_epochs(r):
        return published
    for other in others:
        same = other.group[:3] == r.group[:3] and other.one("batch") == r.one("batch") is not None
        if same and other.org == REFERENCE and other is not r:
            return converged_columns(other.rows)[1]
    return ()


def worth(r: Result) -> str:
    """A set's score in words: "28.9 s", "12 models/h", "no score"."""
    if r.throughput is not None:
        return f"{grouped(r.throughput.models_per_hour)} models/h"
    return "no score" if r.fom is None else f"{figure(r)} s"


def figure(r: Result) -> str:
    """The figure of merit, with as many digits as its interval needs."""
    return with_error(r.fom, half(r))


def half(r: Result) -> float | None:
    """Half the width of the figure of merit's interval; None without interval."""
    t = r.score.trimmed
    return None if t is None or t.low is None else (t.high - t.low) / 2


def ends(r: Result) -> str:
    """The interval of a figure of merit in words."""
    return interval(r.score.trimmed.low, r.score.trimmed.high) or "not estimable"


def degrees(r: Result) -> str:
    """The degrees of freedom of that interval, in words; "" without interval."""
    t = r.score.trimmed
    return "" if t.low is None else f", {t.degrees} degrees of freedom"


def facts(r: Result) -> list[tuple[str, str]]:
    """(name, value in words) of each known fact about a set."""
    scored, t, each = r.fom is not None, r.throughput, r.one("unit")
    share, total = r.mean("staging_ms"), r.mean("total_ms")
    hours = r.mean("unit_hours")
    weak = f"{t.models} models in {grouped(t.seconds)} s" if t else ""
    known = [
        ("figure of merit", f"{figure(r)} s ({minutes(r.fom)} min), 95 %: {ends(r)}{degrees(r)}" if scored else ""),
        ("throughput", f"{weak}, {grouped(t.instance)} of {grouped(t.total)} units each" if t else ""),
        ("expected time", expected_words(r)),
        ("median", median_words(r) if scored else ""),
        ("spread", spread_words(r) if r.spread else ""),
        ("slow runs", slow_of(r)),
        ("models per hour", grouped(3600 / r.fom) if r.fom else ""),
        ("staging", f"{100 * share / total:.1f} % of the time" if share and total else ""),
        ("epochs", mean(r, "epochs")),
        ("seconds per epoch", mean(r, "seconds_per_epoch")),
        ("training, samples/s", mean(r, "train_rate", "train_rate_per_unit")),
        ("evaluation, samples/s", mean(r, "eval_rate", "eval_rate_per_unit")),
        ("accelerator utilization", utilization_words(r, "")),
        ("AU by epoch", epochs_words(r)),
        ("compute budget", f"{grouped(hours)} {each}-hours" if hours and each else ""),
        ("energy", energy_words(r.energy) if r.energy else ""),
        ("epochs against the reference", surprise_words(r.surprise) if r.surprise else ""),
        ("reviewed", r.judged.reviewed),
        ("pruned models", grouped(r.pruned) if r.weak else ""),
    ]
    return [(name, value) for name, value in known if value]


def mean(r: Result, column: str, of_a_unit: str = "") -> str:
    """A mean with its deviation, and the mean of the column `of_a_unit`; "" without mean."""
    if r.mean(column) is None:
        return ""
    unit, value = r.one("unit"), r.mean(of_a_unit) if of_a_unit else None
    each = f", {grouped(value)} per {unit}" if unit and value else ""
    return plus_minus(r.mean(column), r.deviation(column)) + each


RUNS = ("run", "seconds", "epochs", "quality", "seed", "batch", "staging, s", "training, s", "evaluation, s", "rest, s")
RUNS = (*RUNS, "samples/s", "AU, %", "")


def run_table(r: Result, links: Links, space: Room) -> Table:
    """The table of runs; hovering shows the line of the log that a number comes from, if `space` allows."""
    rows, target = list(zip(r.mask, r.rows, strict=True))[: space.listed], r.one("target")
    return Table(RUNS, [Line(run_row(run, used, target, links, space.whole), not used) for used, run in rows])


def run_row(run: Row, used: bool, target: Any, links: Links, placed: bool) -> list[Cell]:
    """The cells of a run under RUNS; with `placed`, hovering shows the line of the log."""
    seconds = run.seconds if math.isfinite(run.seconds) else None
    lines = (run.staging_line, run.epoch_line, run.eval_line, run.start_line)
    parts = zip((run.staging_ms, run.training_ms, run.evaluation_ms, run.rest_ms), lines, strict=True)

    def at(line: int | None) -> str:
        return "" if line is None or not placed else links.place(run.log, line)

    return [
        number(run.run, "log" if run.run is None else str(run.run), href=links.to(run.log)),
        number(seconds, title=at(run.stop_line)),
        number(run.epochs, title=at(run.epoch_line)),
        number(run.quality, quality(run.quality, target), title=at(run.target_line)),
        Cell(run.seed or "-", title=at(run.seed_line)),
        number(run.batch, title=at(run.batch_line)),
        *(
            number(ms, None if ms is None else grouped(ms / 1000, 3), title=at(line or run.start_line))
            for ms, line in parts
        ),
        number(run.compute_rate, title=at(run.stop_line)),
        number(run.au, None if run.au is None else f"{100 * run.au:.1f}"),
        Cell("" if used else "dropped" if seconds is not None else f"not converged: {run.fault}"),
    ]


def sources(rows: Sequence[Row], place: Path, links: Links) -> Iterator[tuple[str, int, str]]:
    """(log, line, text) of each line of a log that the numbers of `rows` come from."""
    for run in rows:
        wanted = {run.start_line, run.batch_line, run.seed_line, run.target_line, run.stop_line} - {None}
        for at, lines in sorted(excerpts(Path(run.log), place, wanted, 0).items()):
            yield links.place(run.log), at, lines[0].text


SKIPPED = {"cache_clear", "seed", "hyperparameters"}


def setting_rows(runs: Sequence[Run], links: Links) -> Iterator[Line]:
    """The settings that the first run logged, and how other runs differ; contacts are left out."""
    for name, fact in runs[0].facts.items() if runs else ():
        if name in SKIPPED or CONTACT in name.lower() or fact.value is None:
            continue
        others = {str(run.value(name)) for run in runs} - {str(fact.value)}
        differs = f"differs in other runs: {', '.join(sorted(others))[:120]}" if others else ""
        value = Cell(str(fact.value)[:200], title=links.place(runs[0].file, fact.line))
        yield Line([Cell(name[:80]), value, Cell(differs, tone="look" if others else "")])


DESCRIBED = 100  # fields of a system description that are shown


def described(r: Result) -> Iterator[Line]:
    """The fields of the system description; contacts are left out."""
    for name, value in islice(r.judged.description.items(), DESCRIBED):
        if CONTACT not in str(name).lower() and value not in (None, ""):
            yield Line([Cell(str(name)[:80]), Cell(str(value)[:400])])
