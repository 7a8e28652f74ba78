"""The figure of a problem's convergence: validation scores over epochs, as SVG drawn by Vega-Lite."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import vl_convert

from perf.curves.runs import Series
from perf.curves.table import machine

PANEL = {"width": 560, "height": 280}  # pixels
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b3578f", "#a67c00", "#6b6b6b")
DASHES = ([1, 0], [9, 4], [2, 4], [9, 4, 2, 4], [16, 4], [5, 3])  # of medians, beside their colours
NOTE = "Thick lines: median. Thin lines: runs. Dots: where a run met the target."
LEGEND = {"title": None, "orient": "bottom", "columns": 1, "labelLimit": 0, "symbolType": "stroke", "symbolSize": 900}
LOOK = {
    "aria": False,  # pages describe the figure in its alternative text
    "view": {"stroke": None},
    "axis": {"gridColor": "#e3e7eb", "titleFontWeight": "normal"},
    "legend": LEGEND | {"symbolStrokeWidth": 2.6, "symbolOpacity": 1},
}


def figure(series: Sequence[Series], score: str) -> str:
    """The SVG of one problem: a thin line for each run, a dot where it met the target, a thick line for each median."""
    title = {"text": f"{series[0].problem}: {score} of the reference's runs", "subtitle": NOTE, "anchor": "start"}
    return vl_convert.vegalite_to_svg({"title": title, "config": LOOK, **panel(series, score)}) + "\n"


def words(one: Series) -> str:
    """A series' entry in the legend."""
    met, many = one.epochs, len(one.runs)
    first = [f"width {one.width}"] if one.width else []
    first += [f"batch size {one.batch}", machine(one, "thread"), f"{many} run{'s' if many > 1 else ''}"]
    if not met:
        return ", ".join([*first, "none reached the target"])
    spread = f"{statistics.median(met):g}" + (f" ({met[0]} to {met[-1]})" if met[0] < met[-1] else "")
    missed = f", {many - len(met)} never" if len(met) < many else ""
    return ", ".join(first) + f": target after {spread} epochs" + missed


def panel(series: Sequence[Series], score: str) -> dict[str, Any]:
    """A plot of scores over epochs."""
    runs, dots, medians = [], [], []
    names = [words(one) for one in series]
    for name_of_series, one in zip(names, series, strict=True):
        medians += rows(median_curve(one), name_of_series)
        for run in one.runs:
            curve = rows(run.scores, name_of_series, run.log)
            runs += curve
            dots += [curve[met - 1]] if (met := one.reached(run)) else []
    targets = [{"y": target, "text": f"target {target:g}"} for target in sorted({one.target for one in series})]
    y = {"field": "y", "type": "quantitative", "title": score, "scale": {"zero": False, "nice": False, "padding": 12}}
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "epoch",
        "scale": {"zero": True, "nice": False},
        "axis": {"tickMinStep": 1},
    }
    colour = {"field": "series", "scale": {"domain": names, "range": COLOURS}}
    dash = {"field": "series", "scale": {"domain": names, "range": DASHES}}
    text = {"type": "text", "align": "right", "baseline": "top", "dx": -4, "dy": 3}
    places = {"x": x, "y": y, "color": colour}
    return PANEL | {
        "layer": [
            layer(targets, {"type": "rule", "strokeDash": [7, 4]}, {"y": y}),
            layer(targets, text, {"x": {"value": PANEL["width"]}, "y": y, "text": {"field": "text"}}),
            layer(runs, {"type": "line", "strokeWidth": 1, "opacity": 0.4}, places | {"detail": {"field": "run"}}),
            layer(dots, {"type": "point", "filled": True, "size": 22, "opacity": 0.75}, places),
            layer(medians, {"type": "line", "strokeWidth": 2.6}, places | {"strokeDash": dash}),
        ]
    }


def rows(scores: Iterable[float], series: str, run: str = "") -> list[dict[str, Any]]:
    """The data of a line through the scores of epochs 1, 2, ..."""
    return [{"series": series, "run": run, "x": epoch, "y": score} for epoch, score in enumerate(scores, 1)]


def layer(values: Sequence[dict[str, Any]], mark: dict[str, Any], encoding: dict[str, Any]) -> dict[str, Any]:
    """A layer of a plot."""
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def median_curve(one: Series) -> list[float]:
    """The median score after each epoch, until it meets the target. A run that has stopped keeps its last score."""
    found = []
    for i in range(max(len(run.scores) for run in one.runs)):
        found.append(statistics.median(run.scores[min(i, len(run.scores) - 1)] for run in one.runs))
        if found[-1] <= one.target if one.lower else found[-1] >= one.target:
            break
    return found
