"""One submission in the HTML report: its figures, its runs, its settings, its findings.

The figures show at most 40 runs of a set: see `Room`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compliance.reading.run import Run
from results.html import charts
from results.html.page import Cell, Links, anchor, chip, facts, figures, findings, number_cell, safe, table, text_cell
from results.statistics.result import Result
from results.tables.columns import Row
from results.tables.formatting import minutes, show
from results.tables.text import interval_words, median_words, spread_words, surprise_words


@dataclass(frozen=True)
class Room:
    """How many runs of a set are drawn, evenly over them, and how many are listed, the first so many."""

    drawn: int
    listed: int


def room(sets: int) -> Room:
    """All that a reader wants where there are few sets; less of each where they are many, so that a report of a
    thousand can still be opened."""
    return Room(max(8, min(charts.MOST, 8000 // max(1, sets))), max(20, min(100, 20_000 // max(1, sets))))


def detail(r: Result, letter: str, links: Links, space: Room) -> str:
    """A submission's set of runs, folded away."""
    runs = charts.sample(r.runs, space.drawn)
    kept = {run.path for run, used in zip(r.runs, r.mask, strict=True) if used}
    head = f"<b>{letter}</b>{safe(r.label)} ({safe(' '.join(r.group[3:]))}) {chip(r.standing)} {worth(r)}"
    drawn = figures(
        [
            ("Convergence: the metric over epochs", charts.curves(runs, r.one("target"))),
            ("Where the time went", charts.breakdown(runs, kept)),
            ("Timeline", charts.timeline(runs, r.weak)),
        ]
    )
    some = "" if len(runs) == r.score.n else f"<p class=soft>Figures show {len(runs)} of the {r.score.n} runs.</p>"
    blocks = [
        f'<p class="why">No score: {safe(r.why)}</p>' if r.why else "",
        numbers(r),
        drawn,
        some,
        f"<h4>Runs</h4>{run_table(r, links, space.listed)}",
        f"<h4>Settings</h4>{settings(runs, links)}" if runs else "",
        f"<h4>Findings</h4>{findings(r.standing, links)}",
    ]
    content = f"<summary>{head}</summary><div>{''.join(blocks)}</div>"
    return f'<details class="set" id="{anchor("set", r.name)}">{content}</details>'


def worth(r: Result) -> str:
    """Its figure."""
    if r.throughput is not None:
        return f"{show(r.throughput.models_per_hour)} models/h"
    return "no score" if r.fom is None else f"{show(r.fom)} s"


def numbers(r: Result) -> str:
    """What is known of the set, in words."""
    fom = f"{show(r.fom)} s ({minutes(r.fom)} min), {safe(interval_words(r))}" if r.fom is not None else None
    t = r.throughput
    weak = f"{t.models} models in {show(t.seconds)} s, {show(t.instance)} of {show(t.total)} units each" if t else None
    share = r.mean("staging_ms")
    total = r.mean("total_ms")
    return facts(
        [
            ("figure of merit", fom),
            ("throughput", weak),
            ("median", safe(median_words(r)) if r.fom is not None else None),
            ("spread", safe(spread_words(r)) if r.spread else None),
            ("models per hour", show(3600 / r.fom) if r.fom else None),
            ("staging", f"{100 * share / total:.1f} % of the time" if share and total else None),
            ("samples/s in training", spoken(r, "train_rate", "train_rate_per_unit")),
            ("samples/s in evaluation", spoken(r, "eval_rate", "eval_rate_per_unit")),
            (
                "compute budget",
                f"{show(r.mean('unit_hours'))} {safe(r.one('unit'))}-hours" if r.mean("unit_hours") else None,
            ),
            ("energy", f"{show(r.mean('joules') / 1000)} kJ a run" if r.mean("joules") else None),
            ("epochs against the reference", safe(surprise_words(r.surprise)) if r.surprise else None),
            ("pruned models", show(r.pruned) if r.weak else None),
        ]
    )


def spoken(r: Result, rate: str, each: str) -> str | None:
    if r.mean(rate) is None:
        return None
    per = f", {show(r.mean(each))} per {safe(r.one('unit'))}" if r.mean(each) and r.one("unit") else ""
    return show(r.mean(rate)) + per


RUNS = ("run", "seconds", "epochs", "quality", "seed", "batch", "staging, s", "training, s", "evaluation, s", "rest, s")
RUNS = (*RUNS, "samples/s", "")


def run_table(r: Result, links: Links, most: int) -> str:
    """A row a run; numbers link to the lines they come from."""
    pairs = list(zip(r.mask, r.rows, strict=True))[:most]
    more = f"<p class=soft>The first {most} of {r.score.n} runs.</p>" if r.score.n > most else ""
    rows = [run_row(run, used, links) for used, run in pairs]
    return table(RUNS, rows, marked=["" if used else "dropped" for used, _ in pairs]) + more


def run_row(run: Row, used: bool, links: Links) -> list[Cell]:
    seconds = run.seconds if math.isfinite(run.seconds) else None
    lines = (run.staging_line, run.epoch_line, run.eval_line, run.start_line)
    parts = zip((run.staging_ms, run.training_ms, run.evaluation_ms, run.rest_ms), lines, strict=True)

    def linked(value: float | None, shown: str, line: int | None) -> Cell:
        return number_cell(
            value, html=links.to(shown, run.log, line) if value is not None and line is not None else None
        )

    return [
        number_cell(run.run, html=links.to("log" if run.run is None else str(run.run), run.log)),
        linked(seconds, show(seconds), run.stop_line),
        linked(run.epochs, show(run.epochs), run.epoch_line),
        linked(run.quality, "" if run.quality is None else f"{run.quality:.4f}", run.target_line),
        Cell(links.to(run.seed, run.log, run.seed_line) if run.seed else "-"),
        linked(run.batch, show(run.batch), run.batch_line),
        *(
            linked(ms, "" if ms is None else f"{ms / 1000:.3f}", run.start_line if line is None else line)
            for ms, line in parts
        ),
        linked(run.compute_rate, show(run.compute_rate), run.stop_line),
        text_cell("" if used else "dropped" if seconds is not None else f"not converged: {run.fault}"),
    ]


SKIPPED = {"cache_clear", "seed", "hyperparameters"}


def settings(runs: Sequence[Run], links: Links) -> str:
    """What the first run logs of itself, with how the others differ."""
    return table(("setting", "value", ""), list(setting_rows(runs, links)), sortable=False)


def setting_rows(runs: Sequence[Run], links: Links) -> Iterator[list[Cell]]:
    first = runs[0]
    for key, fact in first.facts.items():
        if key in SKIPPED or fact.value is None:
            continue
        others = {str(run.value(key)) for run in runs} - {str(fact.value)}
        differs = f"differs in other runs: {', '.join(sorted(others))[:120]}" if others else ""
        value = links.to(str(fact.value)[:200], first.file, fact.line)
        yield [text_cell(key[:80]), Cell(value, class_="name"), text_cell(differs, "differs" if others else "")]
