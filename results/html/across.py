"""The charts that compare sets: ranks, convergence, parts of the time, speed against convergence, scaling.

Time to train = staging + epochs x samples / throughput (Farrell et al., MLPerf HPC, 2021). Systems therefore differ in
the epochs that their batch size costs, and in the throughput that their size buys.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from results.html.charts import Chart, Rows, Side, curves, key, parts_chart, sample
from results.html.detail import half, reference_epochs
from results.html.specs import PARTS
from results.measures.identity import rank_text
from results.statistics.energy import WORDS
from results.statistics.result import Result
from results.tables.rates import Series

MOST = 60  # sets in a chart that has a row for each
RUNS = 200  # runs in a chart of all curves
TICKS = 100  # runs of a set in a chart of ranks

Points = Sequence[tuple[Result, float, float, float, float]]  # set, x, its deviation, y, its deviation
Looks = tuple[list[dict[str, Any]], dict[str, int]]
Lines = Sequence[tuple[float, float, float, float, str]]  # start x, y, end x, y, and the label at the end


def charts(results: Sequence[Result]) -> list[Chart]:
    """The charts of two or more sets with runs that count; [] for fewer."""
    results = [r for r in results if any(r.mask)]
    if len(results) < 2:
        return []
    looks = organisations(results)
    strong = [(r, r.one("units"), 0.0, r.fom / 60, (half(r) or 0.0) / 60) for r in results if r.fom is not None]
    weak = [(r, t.total, 0.0, t.models_per_hour, 0.0) for r in results if (t := r.throughput)]
    both = means(results, "compute_rate", "passes")
    found = [
        *ranks(results, looks),
        overlay(results),
        shares(results),
        scatter("joint", "Speed against convergence; dashed: equal computing time", both, looks, iso_time(both)),
        scatter("batch", "What batch size costs: epochs to the target", means(results, "batch", "passes"), looks),
        scatter("units", "What size buys: training throughput", means(results, "units", "compute_rate"), looks),
        *energies(results, looks),
        scatter("strong", "Strong scaling: minutes to train; dashed: ideal", strong, looks, ideal(strong, -1)),
        scatter("weak", "Weak scaling: models per hour; dashed: ideal", weak, looks, ideal(weak, 1)),
    ]
    return [chart for chart in found if chart]


def energies(results: Sequence[Result], looks: Looks) -> Iterable[Chart | None]:
    """Charts of energy over time, one for each way of measuring: energies are comparable only within one."""
    for tier in sorted({r.energy.tier for r in results if r.energy}):
        of = [r for r in results if r.energy and r.energy.tier == tier and r.fom is not None]
        found = [(r, r.fom / 60, (half(r) or 0.0) / 60, *(e / 1000 for e in joules(r))) for r in of]
        yield scatter("energy", f"Energy to the target against time, by {WORDS[tier]}", found, looks)


def joules(r: Result) -> tuple[float, float]:
    """A set's energy and half the width of its interval, 0 without interval."""
    e = r.energy.joules
    return e.mean, 0.0 if e.low is None else (e.high - e.low) / 2


def name_of(r: Result, results: Sequence[Result]) -> str:
    """A set's name in a chart, with division, scaling or a number if another set has the same name."""
    same = [other for other in results if other.label == r.label]
    if len(same) == 1:
        return r.label
    also = f"{r.label}, {r.group[4]}" + (", throughput" if r.weak else "")
    return also if len({other.group[3:] for other in same}) == len(same) else f"{also} {same.index(r) + 1}"


def organisations(results: Sequence[Result]) -> Looks:
    """(looks, {organisation: number of its look}): an organisation looks the same in all charts of a section."""
    orgs = sorted({r.org for r in results})
    return [key(i, org or "-") for i, org in enumerate(orgs)], {org: i for i, org in enumerate(orgs)}


def ranks(results: Sequence[Result], looks: Looks) -> Iterable[Chart]:
    """A chart for each division: figures of merit, intervals and runs on one axis, best set first."""
    for division in sorted({r.group[4] for r in results}):
        of = [r for r in results if r.fom is not None and r.group[4] == division]
        if len(of) > 1:
            some = f"; the first {MOST} of {len(of)}" if len(of) > MOST else ""
            yield forest(of[:MOST], looks, f"Time to train with its 95 % interval, {division} division{some}")


def forest(results: Sequence[Result], looks: Looks, caption: str) -> Chart:
    """A row for each set: its rank and name, figure of merit, interval, and a tick for each run."""
    keys, number = looks
    sets, runs = [], []
    for r in results:
        rank, s, t = rank_text(r.rank) or "-", number[r.org], r.score.trimmed
        row = f"{rank}  {name_of(r, results)}"
        low, high = (t.low, t.high) if t.low is not None else (r.fom, r.fom)
        sets.append((s, row, r.label, rank, r.fom, low, high))
        pairs = [(run.run, run.seconds) for run in r.rows if math.isfinite(run.seconds)]
        runs += [(s, row, i, seconds) for i, seconds in sample(pairs, TICKS)]
    tables = {
        "sets": Rows(("s", "row", "set", "rank", "x", "low", "high"), sets),
        "runs": Rows(("s", "row", "run", "x"), runs),
    }
    note = "Dot: figure of merit. Line: its interval. Ticks: runs. Before the name: the places that a set may have."
    return Chart("ranks", caption, keys, tables, note, "shape")


def overlay(results: Sequence[Result]) -> Chart | None:
    """The convergence curves of the best twelve sets, at most RUNS in all; with the reference's epochs if all sets have
    the same batch size."""
    best = results[:12]
    each = max(1, RUNS // len(best))
    targets = {r.one("target") for r in best}
    bands = {tuple(reference_epochs(r, results)) for r in best}
    sides = [Side(name_of(r, best), sample(r.runs, each)) for r in best]
    chart = curves(sides, shared(targets), shared(bands) or (), RUNS)
    some = f"; the first {len(best)} sets of {len(results)}" if len(results) > len(best) else ""
    return chart and Chart(chart.kind, chart.caption + some, chart.keys, chart.tables, chart.note)


def shared(values: set[Any]) -> Any:
    """The value, if there is only one; else None."""
    return next(iter(values)) if len(values) == 1 else None


def shares(results: Sequence[Result]) -> Chart | None:
    """The mean parts of each set's time, over the runs that count."""
    rows = []
    for r in results[:MOST]:
        total = r.mean("total_ms")
        for s, part in enumerate(PARTS):
            if total and (ms := r.mean(f"{part}_ms")):
                rows.append((s, name_of(r, results), ms / 1000, total / 1000))
    return parts_chart("time", "Where the time went: means of the runs that count", ("s", "row", "v", "total"), rows)


def means(results: Sequence[Result], x: str, y: str) -> Points:
    """(set, mean x, its deviation, mean y, its deviation) for two columns of the runs; sets without a mean are left
    out."""
    return [
        (r, a, r.deviation(x) or 0.0, b, r.deviation(y) or 0.0)
        for r in results
        if (a := r.mean(x)) and (b := r.mean(y))
    ]


def scatter(kind: str, caption: str, found: Points, looks: Looks, lines: Lines = ()) -> Chart | None:
    """A chart with a mark for each set, in the look of its organisation; None for fewer than two sets."""
    found = [p for p in found if p[1] and p[3] and p[1] > 0 and p[3] > 0]
    if len(found) < 2:
        return None
    keys, number = looks
    points, across, up = [], [], []
    for r, x, dx, y, dy in found:
        s, is_open = number[r.org], r.group[4].lower() == "open"
        points.append((s, r.label, x, y, r.group[4], is_open))
        across += [(s, y, max(x - dx, x / 2), x + dx)] if dx else []
        up += [(s, x, max(y - dy, y / 2), y + dy)] if dy else []
    note = "Hollow: open division." if any(p[-1] for p in points) else ""
    tables = {
        "points": Rows(("s", "set", "x", "y", "division", "hollow"), points),
        "xbars": Rows(("s", "y", "low", "high"), across),
        "ybars": Rows(("s", "x", "low", "high"), up),
        **drawn(lines),
        "joined": Rows(("s", "x", "y"), []),
    }
    return Chart(kind, caption, keys, tables, note, "shape")


def drawn(lines: Lines) -> dict[str, Rows]:
    """The tables of a chart that draw lines and their labels."""
    ends = [(g, *end) for g, (a, b, c, d, _) in enumerate(lines) for end in ((a, b), (c, d))]
    labels = [(c, d, label) for _, _, c, d, label in lines if label]
    return {"lines": Rows(("g", "x", "y"), ends), "labels": Rows(("x", "y", "label"), labels)}


DURATIONS = (
    *((2, "2 s"), (10, "10 s"), (60, "1 min"), (300, "5 min"), (1200, "20 min"), (3600, "1 h"), (14400, "4 h")),
    *((57600, "16 h"), (259200, "3 d"), (864000, "10 d")),
)


def iso_time(found: Points) -> Lines:
    """The lines of equal computing time, epochs x samples / throughput, across the area of the sets."""
    samples = next((n for p in found if (n := p[0].mean("train_samples"))), None)
    if not samples:
        return []
    x, y = ([p[at] for p in found] for at in (1, 3))
    (left, right), (low, high) = ((min(v) / 1.3, max(v) * 1.3) for v in (x, y))
    lines = []
    for seconds, name in DURATIONS:
        a, b = max(left, low * samples / seconds), min(right, high * samples / seconds)
        if b > a:
            lines.append((a, a * seconds / samples, b, b * seconds / samples, name))
    return lines


def ideal(found: Points, slope: int) -> Lines:
    """The lines of perfect scaling, from the smallest system of each organisation to its largest."""
    of: dict[str, list[tuple[float, float]]] = {}
    for r, x, _, y, _ in found:
        if x and y:
            of.setdefault(r.org, []).append((x, y))
    return perfect(of.values(), slope)


def perfect(groups: Iterable[Sequence[tuple[float, float]]], slope: int = 1) -> Lines:
    """The lines y ~ x^slope through the smallest point of each group, up to its largest x."""
    lines = []
    for places in groups:
        (a, b), last = min(places), max(places)[0]
        if last > a:
            lines.append((a, b, last, b * (last / a) ** slope, ""))
    return lines


def rate_chart(lines: Sequence[Series], caption: str) -> Chart | None:
    """Samples per second over units of logs that measure throughput only; None without series. A line joins the fastest
    logs of a series at each number of units; a dashed one is ideal scaling from the fewest."""
    if not lines:
        return None
    points = [(i, s.name, r.units, r.rate, r.shape, False) for i, s in enumerate(lines) for r in s.rates]
    joined = [
        (i, units, max(r.rate for r in s.rates if r.units == units))
        for i, s in enumerate(lines)
        for units in sorted({r.units for r in s.rates})
    ]
    ideals = perfect([[(r.units, r.rate) for r in s.rates] for s in lines])
    tables = {
        "points": Rows(("s", "set", "x", "y", "shape", "hollow"), points),
        "xbars": Rows(("s",), []),
        "ybars": Rows(("s",), []),
        **drawn(ideals),
        "joined": Rows(("s", "x", "y"), joined),
    }
    return Chart("rates", caption, [key(i, s.name) for i, s in enumerate(lines)], tables, marks="shape")
