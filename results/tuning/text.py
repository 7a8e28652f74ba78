"""Campaigns of tuning as text and JSON: a table for each problem, and details of each campaign."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from compliance.finding import counted
from compliance.safe import markdown, printable
from results.tables.cells import Cell, Table, number, table_of
from results.tables.formatting import aligned, finite, markdown_table, show
from results.tables.predicted import Predictions, predictions
from results.tuning.estimators import Estimate
from results.tuning.score import Scored

COLUMNS: dict[str, Callable[[Scored], Cell]] = {
    "campaign": lambda s: Cell(s.judged.campaign, below=f"{s.judged.org} · {s.judged.system}"),
    "batch": lambda s: number(s.campaign.batch_size),
    "with tuning, s": lambda s: number(s.solution.value if s.solution else None),
    "campaign, s": lambda s: number(s.wall),
    "run, s": lambda s: number(s.confirmation.mean if s.confirmation else None),
    "reached": lambda s: number(s.successes),
    "trials": lambda s: number(len(s.trials), f"{len(s.trials)}/{s.campaign.trials}"),
    "device-hours": lambda s: number(s.unit_hours),
    "expected, s": lambda s: number(finite(s.running_time.value) if s.trials else None),
    "sampler": lambda s: Cell(s.campaign.sampler),
}


def table(scored: Sequence[Scored]) -> Table:
    """The table of campaigns of one problem."""
    return table_of(COLUMNS, scored, cards=False)


def tables(scored: Sequence[Scored]) -> Iterator[tuple[str, list[Scored]]]:
    """(title, campaigns) of each edition and problem, in the order of `campaigns`."""
    known = [s for s in scored if s.opened]
    for (edition, problem), of in groupby(known, key=lambda s: (s.judged.edition, s.campaign.problem)):
        yield f"{edition} · {problem} · time to solution with the tuning counted", list(of)


def terminal_text(scored: Sequence[Scored]) -> str:
    """The text for a terminal: for each problem a table, then the details of each campaign; "" without campaigns."""
    lines: list[str] = []
    for title, of in tables(scored):
        lines += [printable(title), *aligned(table(of).words), ""]
        for name, times, said in predicted_times(of):
            lines += [printable(name), *aligned(times.words), f"  {said}", ""] if times else []
        for s in of:
            lines += [f"  {printable(s.label)}", *(f"    {printable(text)}" for text in told(s))]
        lines.append("")
    lines += [f"{printable(s.judged.path)}: no score: {printable(s.why)}" for s in scored if not s.opened]
    return "\n".join(lines).rstrip("\n") + "\n" if lines else ""


def predicted_times(scored: Sequence[Scored]) -> Predictions:
    """The times of confirmation runs at other batch sizes, for each system."""
    known = [s.confirmed for s in scored if s.solution and s.confirmed]
    return predictions(known, same=lambda r: r.label)


def markdown_text(scored: Sequence[Scored]) -> str:
    """The tables in Markdown, and why some campaigns have no score."""
    lines: list[str] = []
    for title, of in tables(scored):
        head, *rows = table(of).words
        lines += [f"### {markdown(title)}", "", *markdown_table(head, rows), ""]
        lines += [f"- {markdown(s.label)}: no score: {markdown(s.why)}" for s in of if s.why]
    lines += [f"- {markdown(s.judged.path)}: no score: {markdown(s.why)}" for s in scored if not s.opened]
    return "\n".join(lines)


def told(s: Scored) -> list[str]:
    """The lines under a campaign's name."""
    lines = [f"no score: {s.why}"] if s.why else []
    if s.solution and s.confirmation:
        merit = f"{show(s.confirmation.mean)} s over {s.confirmation.n} confirmation runs"
        parts = f"{show(s.wall)} s of campaign, and a figure of merit of {merit}"
        known = "" if math.isnan(s.solution.low) else "; the interval takes the campaign's time as known: it ran once"
        lines.append(f"time to solution with tuning {ends(s.solution)} s: {parts}{known}")
    if s.winner:
        point = ", ".join(f"{name} {value}" for name, value in s.winner.point.items())
        own = f"its own {show(s.winner.seconds)} s are in the campaign's alone"
        lines.append(f"winner: trial {s.winner.index}, {point}; {own}")
    if s.trials:
        value, low, high = (f"{100 * part:.0f}" for part in (s.share.value, s.share.low, s.share.high))
        pruned = f"{counted(s.pruned, 'trial')} {'was' if s.pruned == 1 else 'were'} pruned"
        doubt = f", and {pruned}: nobody knows of what they would have done" if s.pruned else ""
        lines.append(f"{value} % of the trials reached the target{doubt}; of the space, {low} to {high} % do (95 %)")
        lines.append(f"expected running time to the target {ends(s.running_time)} s")
    best = [b for b in s.best if b.seconds is not None and b.k in (1, 2, 4, 8, 16, 32, 64, len(s.trials))]
    if best:
        words = "; ".join(f"{b.k}: {show(b.seconds)} s in {100 * b.share:.0f} %" for b in best)
        lines.append(f"expected best of so many trials, where one reaches the target: {words}")
    if s.samples_to_target:
        lines.append(f"samples to the target {ends(s.samples_to_target)}")
    if s.lost:
        lines.append(f"{s.lost:.1f} s of starts that were made again are in the device-hours")
    lines += [f"campaign {s.campaign.digest}; shift from {s.opened.source}"] if s.opened else []
    return lines


def record(s: Scored) -> dict[str, Any]:
    """A campaign as a JSON object; times are seconds, unknown and infinite numbers null."""
    head = {name: getattr(s.judged, name) for name in ("edition", "benchmark", "org", "system", "campaign")}
    if s.opened is None:
        return {**head, "why": s.why}
    return head | {
        "problem": s.campaign.problem,
        "batch": s.campaign.batch_size,
        "why": s.why or None,
        "digest": s.campaign.digest,
        "sampler": s.campaign.sampler,
        "shift_source": s.opened.source,
        "with_tuning_seconds": estimate(s.solution),
        "campaign_seconds": s.wall,
        "confirmation_seconds": s.confirmation.mean if s.confirmation else None,
        "unit_hours": s.unit_hours,
        "joules": s.joules,
        "lost_seconds": s.lost,
        "trials": s.campaign.trials,
        "successes": s.successes,
        "pruned": s.pruned,
        "share": estimate(s.share) if s.trials else None,
        "running_time": estimate(s.running_time) if s.trials else None,
        "best_of": [{"k": b.k, "share": b.share, "seconds": b.seconds} for b in s.best],
        "samples_to_target": estimate(s.samples_to_target),
        "winner": {"trial": s.winner.index, "point": s.winner.point} if s.winner else None,
    }


def estimate(e: Estimate | None) -> dict[str, float | None] | None:
    """An estimate as a JSON object, None without one."""
    return None if e is None else {"value": finite(e.value), "low": finite(e.low), "high": finite(e.high)}


def ends(e: Estimate) -> str:
    """A number of seconds or samples and its interval in words."""
    if finite(e.value) is None:
        return "infinite"
    if math.isnan(e.low):
        return f"{show(e.value)} (too few runs for an interval)"
    high = "no end" if math.isinf(e.high) else show(e.high)
    return f"{show(e.value)} (95 %: {show(e.low)} to {high})"
