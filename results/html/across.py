"""The charts that compare sets: ranks, convergence, parts of the time, speed against convergence, scaling.

Time to train = staging + passes x samples / throughput (Farrell et al., MLPerf HPC, 2021). Systems therefore differ in
the passes over the training data that their batch size costs, and in the throughput that their size buys.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from results.tables.formatting import show
from results.tables.hardware import machine
from results.tables.links import anchor
from results.tables.rates import Series
from results.tables.words import half

IDEAL = "Dashed: ideal."
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
    """(heading, charts) of two or more sets with a score; [] for fewer. Scalings and divisions have charts of their
    own."""
    results = [r for r in results if r.fom is not None or r.throughput is not None]
    if len(results) < 2:
        return []
    groups = [list(of) for _, of in groupby(results, key=lambda r: r.group)]
    found: dict[str, Sequence[Chart | None]] = {
        "Side by side": [*(ranks(of, looks) for of in groups), *(overlay(of, looks) for of in groups)],
        "What makes the difference": [against(first, found, looks) for first, found in against_the_fastest(results)],
        "Where the time went": [chart for of in groups for chart in parts(of)],
        "Speed and convergence": [chart for of in groups for chart in over_batch(with_merit(of), looks)],
        "Size": [chart for of in groups for chart in sizes(of, looks)],
    }
    known = {heading: [chart for chart in of if chart] for heading, of in found.items()}
    return [(heading, of) for heading, of in known.items() if of]


def words(results: Sequence[Result]) -> str:
    """The divisions and the scaling of sets, as captions say them."""
    divisions = " and ".join(sorted({r.group[4] or "-" for r in results}))
    return f"{divisions} division" + (", many models at once" if results[0].weak else "")


def with_merit(results: Sequence[Result]) -> list[Result]:
    """The sets with a figure of merit."""
    return [r for r in results if r.fom is not None]


def over_batch(results: Sequence[Result], looks: Looks) -> Iterator[Chart | None]:
    """Passes over the batch size, samples a second over it, and both joined on it (Farrell et al., figure 2)."""
    passes, speed = means(results, "batch", "passes"), means(results, "batch", "compute_rate")
    both = means(results, "compute_rate", "passes")
    yield scatter("batch", "What a batch size costs: passes over the training data", passes, looks)
    yield scatter("rate", "What a batch size allows: samples a second", speed, looks)
    equal = "Dashed: equal time without staging."
    yield scatter("joint", "Both, joined on the batch (at each mark)", both, looks, iso_time(both), equal)


def sizes(results: Sequence[Result], looks: Looks) -> Iterator[Chart | None]:
    """Samples a second, minutes with the efficiency of each size of a system, and models an hour over the units of a
    group's sets; energies."""
    strong = with_merit(results)
    yield scatter("units", "What size buys: samples a second", means(strong, "units", "compute_rate"), looks)
    found = [(r, r.one("units"), 0.0, (r.fom or 0.0) / 60, (half(r) or 0.0) / 60) for r in strong]
    joined = families(strong)
    caption = "Strong scaling: minutes to train" + (", with efficiency" if joined else "")
    yield scatter("strong", caption, found, looks, ideal(found, -1), IDEAL, joined)
    found = [(r, t.total, 0.0, t.models_per_hour, 0.0) for r in results if (t := r.throughput) and t.total]
    yield scatter("weak", "Models an hour", found, looks, ideal(found, 1), IDEAL)
    yield from energies(results, looks)


def energies(results: Sequence[Result], looks: Looks) -> Iterator[Chart | None]:
    """Charts of energy over time, one for each way of measuring: energies are comparable only within one."""
    for tier in sorted({r.energy.tier for r in results if r.energy}):
        of = [(r, r.energy.joules, r.fom / 60) for r in results if r.energy and r.energy.tier == tier and r.fom]
        found = [(r, time, (half(r) or 0.0) / 60, e.mean / 1000, (e.half or 0.0) / 1000) for r, e, time in of]
        yield scatter("energy", f"Energy to the target against time, by {WORDS[tier]}", found, looks)


def names(results: Sequence[Result]) -> list[str]:
    """The sets' names in a chart, in their order; with division, scaling or a number if several have the same name."""
    whole = [f"{r.label}, {r.group[4]}" + (", throughput" if r.weak else "") for r in results]
    labels, wholes, seen = Counter(r.label for r in results), Counter(whole), Counter[str]()
    found = []
    for r, name in zip(results, whole, strict=True):
        seen[name] += 1
        apart = name if wholes[name] == 1 else f"{name} {seen[name]}"
        found.append(r.label if labels[r.label] == 1 else apart)
    return found


def ids(results: Sequence[Result]) -> list[str]:
    """The anchors of a chart's sets, by which filters find it."""
    return [anchor(r.name, r.group[2]) for r in results]


def looking(results: Sequence[Result], looks: Looks) -> list[dict[str, Any]]:
    """The looks of sets, in their order."""
    return [key(looks[r.label.casefold()], name) for r, name in zip(results, names(results), strict=True)]


def ranks(results: Sequence[Result], looks: Looks) -> Chart | None:
    """Figures of merit, intervals and runs of a group on one axis, best set first: a row for each set, with a tick for
    each run; None for fewer than two."""
    scored = with_merit(results)
    if len(scored) < 2:
        return None
    shown = scored[:MOST]
    sets, runs = [], []
    for s, (r, name) in enumerate(zip(shown, names(shown), strict=True)):
        rank, t = rank_text(r.rank) or "-", r.score.trimmed
        row = f"{rank}  {name}"
        low, high = (t.low, t.high) if t and t.low is not None else (r.fom, r.fom)
        sets.append((s, row, r.label, rank, r.fom, low, high))
        pairs = [(row.run.number, row.seconds) for row in r.rows if math.isfinite(row.seconds)]
        runs += [(s, row, i, seconds) for i, seconds in sample(pairs, TICKS)]
    tables = {
        "sets": Rows(("s", "row", "set", "rank", "x", "low", "high"), sets),
        "runs": Rows(("s", "row", "run", "x"), runs),
    }
    caption = f"Time to train with its 95 % interval, {words(shown)}{first_of(shown, scored)}"
    note = "Dot: figure of merit. Line: its interval. Ticks: runs. Before the name: the places that a set may have."
    log = tenfold([row[3] for row in runs])
    return Chart("ranks", caption, looking(shown, looks), tables, note, "shape", log, ids(shown))


def first_of(shown: Sequence[Result], of: Sequence[Result]) -> str:
    """What a caption says where a chart has room for the first sets only."""
    return f"; the first {len(shown)} sets of {len(of)}" if len(shown) < len(of) else ""


def overlay(results: Sequence[Result], looks: Looks) -> Chart | None:
    """The median curves of a group's best sets, and at most RUNS of their runs; with the reference's epochs if all sets
    have the same batch size. None for fewer than two sets."""
    best = results[:BEST]
    if len(best) < 2:
        return None
    each = max(1, RUNS // len(best))
    sides = [Side(name, sample(r.runs, each)) for r, name in zip(best, names(best), strict=True)]
    band = shared({reference_epochs(r) for r in best}) or ()
    chart = medians(sides, shared({r.one("target") for r in best}), band, RUNS)
    if chart is None:
        return None
    caption = f"{chart.caption}, {words(best)}{first_of(best, results)}"
    return replace(chart, caption=caption, keys=looking(best, looks), sets=ids(best))


def shared(values: set[Any]) -> Any:
    """The value, if there is only one; else None."""
    return next(iter(values)) if len(values) == 1 else None


def parts(results: Sequence[Result]) -> Iterator[Chart | None]:
    """The mean parts of the time of a group's sets, over the runs that count: shares beside the total seconds, and the
    seconds of each, unless totals span a factor of ten and short bars could not be read. Nothing for fewer than two
    sets."""
    if len(results) < 2:
        return
    rows = []
    shown = results[:MOST]
    for r, name in zip(shown, names(shown), strict=True):
        total = r.mean("total_ms")
        for s, part in enumerate(PARTS):
            if total and (ms := r.mean(f"{part}_ms")):
                rows.append((s, name, 100 * ms / total, ms / 1000, total / 1000))
    together = any(r.mean("evaluation_ms") is None for r in shown)
    note = "Where evaluations run beside training, all that isn't staging counts as training." if together else ""
    totals = [(s, f"{show(of[-1])} s  {name}", *of) for s, name, *of in rows]
    for kind, what, found in (("shares", "shares of the seconds", totals), ("time", "seconds", rows)):
        if kind == "shares" or not tenfold([row[-1] for row in rows]):
            caption = f"Where the time went, {what}: {words(shown)}; means of the runs that count"
            chart = parts_chart(kind, caption, ("s", "row", "share", "v", "total"), found)
            yield chart and replace(chart, sets=ids(shown), note=note)


def against(first: Result, found: Products, looks: Looks) -> Chart | None:
    """The factors of the times of a group's best sets over the fastest one's."""
    best = found[:BESIDE]
    sets = [r for r, _ in best]
    products = [(name, product) for name, (_, product) in zip(names(sets), best, strict=True)]
    caption = f"Factors of the time over that of {first.label}, {words([first])}"
    return factor_chart(products, caption, looking(sets, looks), ids([first, *sets]))


def means(results: Sequence[Result], x: str, y: str) -> Points:
    """(set, mean x, its deviation, mean y, its deviation) for two columns of the runs; sets without a mean are left
    out."""
    return [
        (r, a, r.deviation(x) or 0.0, b, r.deviation(y) or 0.0)
        for r in results
        if (a := r.mean(x)) and (b := r.mean(y))
    ]


def scatter(
    kind: str,
    caption: str,
    found: Points,
    looks: Looks,
    lines: Lines = (),
    dashed: str = "",
    joined: Sequence[Sequence[Result]] = (),
) -> Chart | None:
    """A chart with a mark for each set of a group, dashed `lines` with what they are, and lines through the sets that
    are `joined`, each with its efficiency; None for fewer than two sets."""
    found = [p for p in found if p[1] and p[3] and p[1] > 0 and p[3] > 0]
    if len(found) < 2:
        return None
    sets = [p[0] for p in found]
    shares = {id(r): round(100 * efficiency(r, of[0])) for of in joined for r in of}
    places = {id(r): (s, x, y) for s, (r, x, _, y, _) in enumerate(found)}
    points, across, up, labels = [], [], [], []
    for s, (r, x, dx, y, dy) in enumerate(found):
        batch, share = r.one("batch") or "", shares.get(id(r), "")
        points.append((s, r.label, x, y, batch, share))
        across += [(s, y, max(x - dx, x / 2), x + dx)] if dx else []
        up += [(s, x, max(y - dy, y / 2), y + dy)] if dy else []
        labels += [(x, y, f"{share} %")] if share != "" else []
        labels += [(x, y, f"{batch:g}")] if batch and kind == "joint" else []
    tables = {
        "points": Rows(("s", "set", "x", "y", "batch", "share"), points),
        "xbars": Rows(("s", "y", "low", "high"), across),
        "ybars": Rows(("s", "x", "low", "high"), up),
        "joined": Rows(("s", "x", "y"), [(places[id(of[0])][0], *places[id(r)][1:]) for of in joined for r in of]),
        **drawn(lines, labels),
    }
    keys, note = looking(sets, looks), dashed if lines else ""
    return Chart(kind, f"{caption}, {words(sets)}", keys, tables, note, "shape", sets=ids(sets))


def drawn(lines: Lines, labels: Sequence[tuple[float, float, str]] = ()) -> dict[str, Rows]:
    """The tables of a chart that draw lines with a label at their ends, and other `labels` (x, y, text)."""
    ends = [(g, *end) for g, (a, b, c, d, _) in enumerate(lines) for end in ((a, b), (c, d))]
    texts = [*labels, *((c, d, label) for _, _, c, d, label in lines if label)]
    return {"lines": Rows(("g", "x", "y"), ends), "labels": Rows(("x", "y", "label"), texts)}


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
    """Samples a second over units of logs that measure throughput only; None without series. A line joins the fastest
    logs of a series at each number of units; dashed is ideal scaling from the fewest."""
    if not lines:
        return None
    points = [(i, s.name, r.units, r.rate, r.shape) for i, s in enumerate(lines) for r in s.rates]
    joined = [
        (i, units, max(r.rate for r in s.rates if r.units == units))
        for i, s in enumerate(lines)
        for units in sorted({r.units for r in s.rates})
    ]
    ideals = perfect([[(r.units, r.rate) for r in s.rates] for s in lines])
    tables = {
        "points": Rows(("s", "set", "x", "y", "shape"), points),
        **drawn(ideals),
        "joined": Rows(("s", "x", "y"), joined),
    }
    keys, anchors = [key(i, s.name) for i, s in enumerate(lines)], ids([r.of for s in lines for r in s.rates])
    return Chart("rates", caption, keys, tables, marks="shape", sets=sorted(set(anchors)))
