"""The HTML report: results in sortable tables, each submission's runs, and figures across submissions.

One self-contained file. A set's figures are drawn from its logs, read again one set at a time, at most 40 of a set.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from results import charts
from results.page import (
    Cell,
    Links,
    breakable,
    chip,
    facts,
    figures,
    findings,
    number_cell,
    page,
    safe,
    table,
    text_cell,
)
from results.plots import joint, scaling, styles
from results.record import rank_text
from results.run import Run, read_run
from results.summary import Result
from results.svg import Axis, bounds
from results.text import interval_words, median_words, minutes, show, spread_words, surprise_words, title

FULL = 100  # runs of a set that are listed one by one; of larger sets the first so many


def html_text(results: Sequence[Result], base: Path, heading: str = "Results") -> str:
    """The report; links to logs are relative to `base`, the folder where it will lie."""
    links = Links(base)
    intro = (
        f"<h1>{safe(heading)}</h1><p class=soft>{count(len(results), 'set')} of runs, "
        f"{count(sum(r.score.n for r in results), 'run')}. The figure of merit (FOM) is the mean time to train without "
        "the fastest and slowest runs, with its 95 % interval; ranks are ranges where intervals overlap. Numbers "
        "link to what they come from: a set's to its runs, a run's to lines of its log.</p>"
    )
    tools = (
        '<p class="tools"><button type="button" data-open="yes">open all submissions</button> '
        '<button type="button" data-open="no">close all</button></p>'
    )
    sections = [(key, list(found)) for key, found in groupby(results, key=lambda r: r.group[:3])]
    nav = "".join(f'<li><a href="#{anchor("problem", *key)}">{safe(name(key))}</a></li>' for key, _ in sections)
    body = "\n".join(section(key, found, links) for key, found in sections)
    return page(heading, f"{intro}<nav aria-label=Contents><ul>{nav}</ul></nav>{tools}\n{body}")


def count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def name(key: tuple[str, ...]) -> str:
    return " · ".join(part for part in key if part)


def anchor(*parts: str) -> str:
    """A fragment that is the same every time and holds nothing of a stranger's."""
    return "s" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def section(key: tuple[str, ...], results: list[Result], links: Links) -> str:
    """One edition, benchmark and problem: its tables, its plots, its submissions."""
    look = styles(results)
    tables = "".join(
        f"<h3>{safe(title(group))}</h3>{ranking(list(found), look)}"
        for group, found in groupby(results, key=lambda r: r.group)
    )
    drawn = figures((caption, svg) for caption, svg in zip(CAPTIONS, [*joint(results), *scaling(results)], strict=True))
    note = (
        "<p class=soft>Letters as in the tables; a colour and a shape for each organisation; hollow: open division.</p>"
    )
    sets = "\n".join(detail(r, look[r.name].letter, links) for r in results)
    plots = f"<h3>Side by side</h3>{note}{drawn}" if drawn else ""
    head = f'<h2 id="{anchor("problem", *key)}">{safe(name(key))}</h2>'
    return f"<section>{head}{tables}{plots}<h3>Submissions</h3>{sets}</section>"


CAPTIONS = (
    "What batch size costs: epochs to the target",
    "What size buys: training throughput",
    "Both: lines of equal computing time",
    "Strong scaling: minutes to train; dashed: ideal",
    "Weak scaling: models per hour; dashed: ideal",
)


def ranking(results: list[Result], look: dict) -> str:
    """The sortable table of a group."""
    if results[0].weak:
        return table(WEAK, [weak_row(r, look[r.name].letter) for r in results], cards=True)
    foms = [t for r in results if r.fom is not None for t in r.runs.seconds if math.isfinite(t)]
    x = Axis(*bounds(foms, True, 0.05), 4, 128, True)
    energy = any(r.mean("joules") for r in results)
    rows = [strong_row(r, look[r.name].letter, x, energy) for r in results]
    return table(STRONG if energy else STRONG[:-1], rows, cards=True)


STRONG = (
    "",
    "rank",
    "organisation",
    "system",
    "verdict",
    "FOM, s",
    "FOM, min",
    "runs and interval",
    "95 %, s",
    "median, s",
)
STRONG = (*STRONG, "converged", "epochs", "units", "samples/s", "unit-hours", "category", "kJ")
WEAK = ("", "organisation", "system", "verdict", "models/h", "T units", "S units", "M models", "TTTa, s", "TTTa, min")
WEAK = (*WEAK, "pruned", "epochs", "category")


def strong_row(r: Result, letter: str, x: Axis, energy: bool) -> list[Cell]:
    t = r.score.trimmed
    joules = r.mean("joules")
    cells = [
        text_cell(letter, "letter"),
        number_cell(None if r.rank is None else sum(r.rank) / 2, rank_text(r.rank)),
        text_cell(r.org, "name"),
        Cell(to_set(r, r.system), class_="name"),
        Cell(chip(r.verdict)),
        number_cell(r.fom, html=to_set(r, show(r.fom)) if r.fom else None),
        of_set(r, None if r.fom is None else r.fom / 60, minutes(r.fom)),
        Cell(charts.error_bar(r.runs.seconds.tolist(), r.fom, t.low, t.high, x) if r.fom else "", r.fom, True),
        number_cell(None, spelled(r)) if r.fom is None or t.low is None else of_set(r, t.high - t.low, spelled(r)),
        of_set(r, r.score.median.value if r.fom else None),
        of_set(r, r.score.converged, f"{r.score.converged}/{r.score.n}"),
        of_set(r, r.mean("epochs")),
        of_set(r, r.one("units")),
        of_set(r, r.mean("compute_rate")),
        of_set(r, r.mean("unit_hours")),
        text_cell(r.category),
    ]
    return [*cells, of_set(r, None if joules is None else joules / 1000)] if energy else cells


def spelled(r: Result) -> str:
    t = r.score.trimmed
    return "-" if r.fom is None else "not estimable" if t.low is None else f"{show(t.low)} to {show(t.high)}"


def weak_row(r: Result, letter: str) -> list[Cell]:
    t = r.throughput
    values = [t.models_per_hour, t.total, t.instance, t.models, t.seconds] if t else [None] * 5
    return [
        text_cell(letter, "letter"),
        text_cell(r.org, "name"),
        Cell(to_set(r, r.system), class_="name"),
        Cell(chip(r.verdict)),
        *(of_set(r, v) for v in values),
        of_set(r, t.seconds / 60 if t else None, minutes(t.seconds if t else None)),
        of_set(r, r.pruned),
        of_set(r, r.mean("epochs")),
        text_cell(r.category),
    ]


def to_set(r: Result, shown: str) -> str:
    return f'<a href="#{anchor("set", r.name)}">{breakable(shown)}</a>'


def of_set(r: Result, value: float | None, shown: str | None = None) -> Cell:
    """A number of a set, linked to the runs that it comes from."""
    link = f'<a class="quiet" href="#{anchor("set", r.name)}">{safe(shown or show(value))}</a>'
    return number_cell(value, html=None if value is None else link)


def detail(r: Result, letter: str, links: Links) -> str:
    """A submission's set of runs, folded away."""
    runs = [read_run(Path(log)) for log in pick(r)]
    kept = set(r.runs.log[r.mask])
    head = (
        f"<b>{letter}</b>{safe(r.org)} / {safe(r.system)} ({safe(' '.join(r.group[3:]))}) {chip(r.verdict)} {worth(r)}"
    )
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
        f"<h4>Runs</h4>{run_table(r, links)}",
        f"<h4>Settings</h4>{settings(runs, links)}" if runs else "",
        f"<h4>Findings</h4>{findings(r.verdict, links)}" if r.verdict.judged else "",
    ]
    content = f"<summary>{head}</summary><div>{''.join(blocks)}</div>"
    return f'<details class="set" id="{anchor("set", r.name)}">{content}</details>'


def pick(r: Result) -> list[str]:
    """Logs to draw: all, or as many as a figure holds, evenly."""
    return charts.sample(r.runs.log.tolist())


def worth(r: Result) -> str:
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


def run_table(r: Result, links: Links) -> str:
    """A row a run; numbers link to the lines they come from."""
    pairs = list(zip(r.mask, r.rows(), strict=True))[:FULL]
    more = f"<p class=soft>The first {FULL} of {r.score.n} runs.</p>" if r.score.n > FULL else ""
    rows = [run_row(run, bool(used), links) for used, run in pairs]
    return table(RUNS, rows, marked=["" if used else "dropped" for used, _ in pairs]) + more


def run_row(run: Any, used: bool, links: Links) -> list[Cell]:
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
        value = links.to(str(fact.value)[:200], first.path, fact.line)
        yield [text_cell(key[:80]), Cell(value, class_="name"), text_cell(differs, "differs" if others else "")]
