"""The convergence of sets: each set's median curve with a band, and its single curves on demand."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from results.html.charts import Chart, Rows, Side, curves, sample, tenfold
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


def middle(runs: Sequence[Curve]) -> list[tuple[float, float, float, float]]:
    """(epoch, lower quartile, median, upper quartile) at most STEPS epochs at which a run was evaluated. A run counts
    from its first evaluation to its last, between two on the straight line; where fewer than half of the runs count,
    the curve ends."""
    runs = [sorted(run) for run in runs if run]
    places = sample(sorted({x for run in runs for x, _ in run}), STEPS)
    columns = [np.interp(places, [x for x, _ in run], [y for _, y in run], np.nan, np.nan) for run in runs]
    found = []
    for x, *column in zip(places, *columns, strict=True):
        values = [y for y in column if not np.isnan(y)]
        if 2 * len(values) >= len(runs):
            found.append((round(x, 4), *map(float, np.quantile(values, (0.25, 0.5, 0.75)))))
    return found
