"""The convergence of sets: each set's median curve with a band, and its single curves on demand."""

from collections.abc import Sequence
from statistics import median, quantiles
from typing import Any

from results.html.charts import Chart, Rows, Side, curves, tenfold
from results.runs.curve import curve

STEPS = 60  # points of a median curve

Curve = Sequence[tuple[float, float]]


def medians(sides: Sequence[Side], target: Any, band: Sequence[float] = (), most: int = 400) -> Chart | None:
    """The chart of `sides`: medians, quartiles, and all curves; None without an evaluation. The arguments are those of
    `curves`."""
    chart = curves(sides, target, band, most)
    if chart is None:
        return None
    found = [(s, *point) for s, side in enumerate(sides) for point in middle([curve(run) for run in side.runs])]
    tables = chart.tables | {"medians": Rows(("s", "x", "low", "y", "high"), found)}
    note = f"Line: median of the runs. Band: the middle half of them. {chart.note}".strip()
    log = tenfold([row[3] for row in found])
    return Chart("medians", chart.caption, chart.keys, tables, note, log=log)


def middle(runs: Sequence[Curve], steps: int = STEPS) -> list[tuple[float, float, float, float]]:
    """(epoch, lower quartile, median, upper quartile) at most `steps` epochs at which a run was evaluated. A run counts
    from its first evaluation to its last; where fewer than half of the runs count, the curve ends."""
    runs = [sorted(run) for run in runs if run]
    places = sorted({x for run in runs for x, _ in run})
    if len(places) > steps:
        places = [places[round(i * (len(places) - 1) / (steps - 1))] for i in range(steps)]
    found = []
    for x in places:
        values = [y for run in runs if (y := at(run, x)) is not None]
        if 2 * len(values) >= len(runs):
            low, _, high = quantiles(values, method="inclusive") if len(values) > 1 else values * 3
            found.append((round(x, 4), low, median(values), high))
    return found


def at(run: Curve, x: float) -> float | None:
    """A run's value at an epoch, on the straight line between its evaluations; None outside of them."""
    if not run[0][0] <= x <= run[-1][0]:
        return None
    after = next(i for i, (place, _) in enumerate(run) if place >= x)
    (c, d), (a, b) = run[after], run[max(0, after - 1)]
    return d if c == a else b + (d - b) * (x - a) / (c - a)
