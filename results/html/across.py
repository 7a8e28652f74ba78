"""The charts that compare sets: ranks, convergence, parts of the time, speed against convergence, scaling.

Time to train = staging + passes x samples / throughput (Farrell et al., MLPerf HPC, 2021). Systems therefore differ in
the passes over the training data that their batch size costs, and in the throughput that their size buys.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from results.html.charts import Chart, Rows, Side, key, parts_chart, sample, tenfold
from results.html.factors import factor_chart
from results.html.medians import medians
from results.html.scaling import efficiency, families
from results.measures.identity import rank_text
from results.runs.decomposition import PARTS
from results.statistics.energy import WORDS
from results.statistics.expected import reference_epochs
from results.statistics.result import Result
from results.tables.factors import Products, against_the_fastest
from results.tables.hardware import machine
from results.tables.rates import Series
from results.tables.words import half

MOST = 60  # sets in a chart that has a row for each
BEST = 12  # sets in a chart of curves
BESIDE = 6  # sets in a chart of factors
RUNS = 200  # runs in a chart of all curves
TICKS = 100  # runs of a set in a chart of ranks

Looks = Mapping[str, int]  # {system: number of its look}: a system looks the same in all charts of a page
Points = Sequence[tuple[Result, float, float, float, float]]  # set, x, its deviation, y, its deviation
Lines = Sequence[tuple[float, float, float, float, str]]  # start x, y, end x, y, and the label at the end


def looks_of(results: Sequence[Result]) -> Looks:
    """A look for each system of a page, in the order in which systems come."""
    return {label: i for i, label in enumerate(dict.fromkeys(r.label.casefold() for r in results))}


def charts(results: Sequence[Result], looks: Looks) -> list[tuple[str, list[Chart]]]:
    """(heading, charts) of two or more sets with a score; [] for fewer. Scalings and divisions have charts of their own
    where they can't be compared."""
    results = [r for r in results if r.fom is not None or r.throughput is not None]
    if len(results) < 2:
        return []
    groups = [list(of) for _, of in groupby(results, key=lambda r: r.group)]
    strong = [r for r in results if r.fom is not None]
    weak = [(r, t.total, 0.0, t.models_per_hour, 0.0) for r in results if (t := r.throughput) and t.total]
    both = means(strong, "compute_rate", "passes")
    found: dict[str, Sequence[Chart | None]] = {
        "Side by side": [*(ranks(of, looks) for of in groups), *(overlay(of, looks) for of in groups)],
        "What makes the difference": [against(first, found, looks) for first, found in against_the_fastest(results)],
        "Where the time went": [chart for of in groups for chart in parts(of)],
        "Speed and convergence": [
            scatter(
                "batch",
                "What a batch size costs: passes over the training data",
                means(strong, "batch", "passes"),
                looks,
            ),
            scatter(
                "rate", "What a batch size allows: samples a second", means(strong, "batch", "compute_rate"), looks
            ),
            scatter(
                "joint",
                "Both, joined on the batch (at each mark); dashed: equal time without staging",
                both,
                looks,
                iso_time(both),
            ),
        ],
        "Size": [
            scatter("units", "What size buys: samples a second", means(strong, "units", "compute_rate"), looks),
            strong_scaling(strong, looks),
            throughputs(weak, looks),
            *energies(results, looks),
        ],
    }
    known = [(heading, [chart for chart in of if chart]) for heading, of in found.items()]
    return [(heading, of) for heading, of in known if of]


def words(r: Result) -> str:
    """The division and scaling of a set, as captions say them."""
    return f"{r.group[4] or '-'} division" + (", many models at once" if r.weak else "")


def facts(r: Result) -> dict[str, str]:
    """What all sets of a group share, for filters."""
    return {"division": r.group[4] or "-", "scaling": r.group[3]}


def batches(found: Points) -> list[tuple[float, float, str]]:
    """The label of each set: its batch."""
    return [(x, y, f"{batch:g}") for r, x, _, y, _ in found if (batch := r.one("batch"))]


def strong_scaling(results: Sequence[Result], looks: Looks) -> Chart | None:
    """Minutes over units, the sizes of a system joined, with the efficiency of each; None below two sets."""
    found = [(r, r.one("units"), 0.0, r.fom / 60, (half(r) or 0.0) / 60) for r in results if r.fom]
    joined = families(results)
    caption = "Strong scaling: minutes to train" + (", with efficiency; dashed: ideal" if joined else "")
    return scatter("strong", caption, found, looks, ideal(found, -1), joined)


def throughputs(found: Points, looks: Looks) -> Chart | None:
    """Models an hour over the units of the whole system; None below two sets."""
    lines = ideal(found, 1)
    return scatter(
        "weak", "Throughput sets: models an hour" + ("; dashed: ideal" if lines else ""), found, looks, lines
    )


def energies(results: Sequence[Result], looks: Looks) -> Iterable[Chart | None]:
    """Charts of energy over time, one for each way of measuring: energies are comparable only within one."""
    for tier in sorted({r.energy.tier for r in results if r.energy}):
        of = [(r, r.energy.joules, r.fom / 60) for r in results if r.energy and r.energy.tier == tier and r.fom]
        found = [(r, time, (half(r) or 0.0) / 60, e.mean / 1000, (e.half or 0.0) / 1000) for r, e, time in of]
        yield scatter("energy", f"Energy to the target against time, by {WORDS[tier]}", found, looks)


def names(results: Sequence[Result]) -> list[str]:
    """The sets' names in a chart, in their order; with division, scaling or a number if several have the same name."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    for r in results:
        groups.setdefault(r.label, []).append(r.group[3:])
    found, seen = [], Counter[str]()
    for r in results:
        same = groups[r.label]
        seen[r.label] += 1
        also = f"{r.label}, {r.group[4]}" + (", throughput" if r.weak else "")
        apart = also if len(set(same)) == len(same) else f"{also} {seen[r.label]}"
        found.append(r.label if len(same) == 1 else apart)
    return found


def looking(results: Sequence[Result], looks: Looks) -> list[dict[str, Any]]:
    """The looks of sets, in their order."""
    return [key(looks[r.label.casefold()], name) for r, name in zip(results, names(results), strict=True)]


def ranks(results: Sequence[Result], looks: Looks) -> Chart | None:
    """Figures of merit, intervals and runs of a group on one axis, best set first; None for fewer than two."""
    of = [r for r in results if r.fom is not None]
    if len(of) < 2:
        return None
    some = f"; the first {MOST} of {len(of)}" if len(of) > MOST else ""
    return forest(of[:MOST], looks, f"Time to train with its 95 % interval, {words(of[0])}{some}")


def forest(results: Sequence[Result], looks: Looks, caption: str) -> Chart:
    """A row for each set: its rank and name, figure of merit, interval, and a tick for each run."""
    sets, runs = [], []
    for s, (r, name) in enumerate(zip(results, names(results), strict=True)):
        rank, t = rank_text(r.rank) or "-", r.score.trimmed
        row = f"{rank}  {name}"
        low, high = (t.low, t.high) if t and t.low is not None else (r.fom, r.fom)
        sets.append((s, row, r.label, rank, r.fom, low, high))
        pairs = [(run.run, run.seconds) for run in r.rows if math.isfinite(run.seconds)]
        runs += [(s, row, i, seconds) for i, seconds in sample(pairs, TICKS)]
    tables = {
        "sets": Rows(("s", "row", "set", "rank", "x", "low", "high"), sets),
        "runs": Rows(("s", "row", "run", "x"), runs),
    }
    note = "Dot: figure of merit. Line: its interval. Ticks: runs. Before the name: the places that a set may have."
    log = tenfold([row[3] for row in runs])
    return Chart("ranks", caption, looking(results, looks), tables, note, "shape", log, facts(results[0]))


def overlay(results: Sequence[Result], looks: Looks) -> Chart | None:
    """The median curves of a group's best sets, and at most RUNS of their runs; with the reference's epochs if all sets
    have the same batch size. None for fewer than two sets."""
    best = results[:BEST]
    if len(best) < 2:
        return None
    each = max(1, RUNS // len(best))
    targets = {r.one("target") for r in best}
    bands = {reference_epochs(r) for r in best}
    sides = [Side(name, sample(r.runs, each)) for r, name in zip(best, names(best), strict=True)]
    chart = medians(sides, shared(targets), shared(bands) or (), RUNS)
    some = f"; the first {len(best)} sets of {len(results)}" if len(results) > len(best) else ""
    if chart is None:
        return None
    caption = f"{chart.caption}, {words(best[0])}{some}"
    return replace(chart, caption=caption, keys=looking(best, looks), facts=facts(best[0]))


def shared(values: set[Any]) -> Any:
    """The value, if there is only one; else None."""
    return next(iter(values)) if len(values) == 1 else None


def parts(results: Sequence[Result]) -> Iterable[Chart | None]:
    """The mean parts of the time of a group's sets, over the runs that count: shares, and seconds, unless totals span a
    factor of ten and short bars could not be read. Nothing for fewer than two sets."""
    if len(results) < 2:
        return
    rows = []
    shown = results[:MOST]
    for r, name in zip(shown, names(shown), strict=True):
        total = r.mean("total_ms")
        for s, part in enumerate(PARTS):
            if total and (ms := r.mean(f"{part}_ms")):
                rows.append((s, name, 100 * ms / total, ms / 1000, total / 1000))
    cols, where = ("s", "row", "share", "v", "total"), f"{words(results[0])}; means of the runs that count"
    together = any(r.mean("evaluation_ms") is None for r in shown)
    beside = "Where evaluations run beside training, all that isn't staging counts as training." if together else ""
    named = {"shares": "shares"} if tenfold([row[-1] for row in rows]) else {"shares": "shares", "time": "seconds"}
    for kind, what in named.items():
        chart = parts_chart(kind, f"Where the time went, {what}: {where}", cols, rows)
        yield chart and replace(chart, facts=facts(results[0]), note=beside)


def against(first: Result, found: Products, looks: Looks) -> Chart | None:
    """The factors of the times of a group's best sets over the fastest one's."""
    best = found[:BESIDE]
    sets = [r for r, _ in best]
    products = [(name, product) for name, (_, product) in zip(names(sets), best, strict=True)]
    caption = f"Factors of the time over that of {first.label}, {words(first)}"
    return factor_chart(products, caption, looking(sets, looks), facts(first))


def means(results: Sequence[Result], x: str, y: str) -> Points:
    """(set, mean x, its deviation, mean y, its deviation) for two columns of the runs; sets without a mean are left
    out."""
    return [
        (r, a, r.deviation(x) or 0.0, b, r.deviation(y) or 0.0)
        for r in results
        if (a := r.mean(x)) and (b := r.mean(y))
    ]


def scatter(
    kind: str, caption: str, found: Points, looks: Looks, lines: Lines = (), joined: Sequence[Sequence[Result]] = ()
) -> Chart | None:
    """A chart with a mark for each set, and lines through the sets that are `joined`, each with its efficiency; None
    for fewer than two sets."""
    found = [p for p in found if p[1] and p[3] and p[1] > 0 and p[3] > 0]
    if len(found) < 2:
        return None
    sets = [p[0] for p in found]
    shares = {id(r): round(100 * efficiency(r, of[0])) for of in joined for r in of}
    points, across, up = [], [], []
    for s, (r, x, dx, y, dy) in enumerate(found):
        is_open, share = r.group[4].lower() == "open", shares.get(id(r), "")
        points.append((s, r.label, x, y, r.one("batch") or "", share, is_open))
        across += [(s, y, max(x - dx, x / 2), x + dx)] if dx else []
        up += [(s, x, max(y - dy, y / 2), y + dy)] if dy else []
    note = "Hollow: open division." if any(p[-1] for p in points) else ""
    places = {id(p[0]): (s, p[1], p[3]) for s, p in enumerate(found)}
    through = [(places[id(of[0])][0], *places[id(r)][1:]) for of in joined for r in of]
    tables = {
        "points": Rows(("s", "set", "x", "y", "batch", "share", "hollow"), points),
        "xbars": Rows(("s", "y", "low", "high"), across),
        "ybars": Rows(("s", "x", "low", "high"), up),
        **drawn(lines),
        "joined": Rows(("s", "x", "y"), through),
    }
    said = [(p[2], p[3], f"{p[5]} %") for p in points if p[5] != ""] + (batches(found) if kind == "joint" else [])
    tables["labels"] = Rows(tables["labels"].cols, [*tables["labels"].rows, *said])
    common = {name: value for name, value in facts(sets[0]).items() if all(facts(r)[name] == value for r in sets)}
    return Chart(kind, caption, looking(sets, looks), tables, note, "shape", facts=common)


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
    """The lines of equal computing time, passes x samples / throughput, across the area of the sets."""
    samples = next((n for p in found if (n := p[0].mean("train_samples"))), None)
    if not samples:
        return []
    x, y = [p[1] for p in found], [p[3] for p in found]
    (left, right), (low, high) = ((min(v) / 1.3, max(v) * 1.3) for v in (x, y))
    lines = []
    for seconds, name in DURATIONS:
        a, b = max(left, low * samples / seconds), min(right, high * samples / seconds)
        if b > a:
            lines.append((a, a * seconds / samples, b, b * seconds / samples, name))
    return lines


def ideal(found: Points, slope: int) -> Lines:
    """The lines of perfect scaling, from the smallest size of each machine to its largest."""
    of: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for r, x, _, y, _ in found:
        if x and y:
            of.setdefault(machine(r), []).append((x, y))
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
        **drawn(ideals),
        "joined": Rows(("s", "x", "y"), joined),
    }
    return Chart("rates", caption, [key(i, s.name) for i, s in enumerate(lines)], tables, marks="shape")
