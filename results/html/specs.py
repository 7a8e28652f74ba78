"""The charts as Vega-Lite specifications, one for each kind, without data.

A chart in a page names its kind and holds its rows; `report.js` joins the two. A row's `s` is the number of its series,
which gives name, colour, dash and shape. Colours are variables of the style sheet, so that charts follow light, dark
and print. A specification holds nothing from a submission: names from strangers are in rows only.
"""

from collections.abc import Sequence
from typing import Any

from results.runs.decomposition import PARTS

COLOURS, DASHES, SHAPES = 8, 4, 6  # numbers of looks that can be told apart
INK, SOFT = "var(--ink)", "var(--soft)"
FAINT = 0.07  # opacity of series that the reader did not pick
SHOWN = "only < 0 || datum.s === only"

Spec = dict[str, Any]


def scaled(field: str, domain: Sequence[Any], looks: Sequence[Any]) -> Spec:
    """The encoding of a field whose values each have a look."""
    scale = {"domain": list(domain), "range": list(looks)}
    return {"field": field, "type": "nominal", "scale": scale, "legend": None}


COLOUR = scaled("c", range(COLOURS), [f"var(--c{i})" for i in range(COLOURS)])
DASH = scaled("d", range(DASHES), [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2]])
SHAPE = scaled("h", range(SHAPES), ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"])
PART = scaled("name", PARTS, [f"var(--{part})" for part in PARTS])
FADE = {"condition": {"test": SHOWN, "value": 1}, "value": FAINT}


def number(title: str | None, log: bool = False, field: str = "x") -> Spec:
    """A quantitative axis."""
    scale = {"type": "log", "nice": False, "padding": 24} if log else {"zero": False, "nice": True}
    axis = {"labelOverlap": "greedy", "labelSeparation": 5, "labelBound": True}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def row() -> Spec:
    """A vertical axis with a named row for each mark, in the order of the data."""
    axis = {"ticks": False, "domain": False}  # `report.js` says how long its names may be
    return {"field": "row", "type": "nominal", "sort": None, "title": None, "axis": axis}


TIP = {"value": {"expr": "(datum.datum || datum).tip"}}  # text that `report.js` made of the row, or of the nearest one


def picked(tips: dict[str, dict[str, str]], *layers: Spec, height: Any = 230, log: str = "") -> Spec:
    """A chart of layers in which readers can pick a series. `tips` has, for each table of rows, {title: field} of the
    text shown on hovering. `log` names the axis that readers may make logarithmic."""
    return {
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "params": [{"name": "only", "value": -1}],
        "layer": list(layers),
        "usermeta": {"log": log, "tips": tips},
    }


def layer(rows: str, kind: str, encoding: Spec, params: Sequence[Spec] = (), **mark: Any) -> Spec:
    """A layer of a chart that draws a table of `rows` with marks of a kind. `params`: what readers can pick in it."""
    picks = {"params": list(params)} if params else {}
    return {"data": {"name": rows}, **picks, "mark": {"type": kind, **mark}, "encoding": encoding}


def zoomed(*axes: str) -> Spec:
    """Zooming with Shift and the wheel (without Shift the page scrolls), and moving."""
    select = {"type": "interval", "encodings": list(axes), "zoom": "wheel![event.shiftKey]"}
    return {"name": "zoom", "select": select, "bind": "scales"}


NEAR = {
    "name": "near",
    "select": {"type": "point", "fields": ["g"], "on": "pointerover", "nearest": True, "clear": "pointerout"},
}


def curves() -> Spec:
    """A line for each run, the target, and a band of the reference's epochs. The caption says what `x` counts."""
    position = {"x": number(None), "y": number(None, field="y")}
    line = {"color": COLOUR, "strokeDash": DASH, "opacity": FADE, "detail": {"field": "g"}}
    told = {"series": "name", "run": "run", "epoch or pass": "x", "seconds": "t", "value": "y", "log line": "at"}
    near = {"condition": {"param": "near", "empty": False, "value": 1}, "value": 0}
    line["strokeWidth"] = {"condition": {"param": "near", "empty": False, "value": 3.5}, "value": 1.4}
    band = {"x": number(None), "x2": {"field": "x2"}, "tooltip": TIP}
    point, shown = position | {"color": COLOUR, "opacity": near, "tooltip": TIP}, {"transform": [{"filter": SHOWN}]}
    return picked(
        {"points": told, "target": {"target": "y"}, "band": {"the reference's epochs from": "x", "to": "x2"}},
        layer("band", "rect", band, fill="var(--band)", stroke="var(--band)", opacity=0.5),
        layer("target", "rule", {"y": number(None, field="y"), "tooltip": TIP}, stroke=INK, strokeDash=[7, 4]),
        layer("points", "line", position | line, clip=True),
        layer("points", "point", point, [NEAR, zoomed("x", "y")], filled=True, size=44, clip=True) | shown,
        log="y",
    )


def spans(field: str, title: str = "seconds") -> Spec:
    """Bars by part of the time: stacked seconds ("v") or shares ("share"), or spans from `x` to `x2` (`field` "x")."""
    alone = field == "x"
    told = {"seconds from": "x", "to": "x2"} if alone else {"seconds": "v", "%": "share", "of seconds": "total"}
    place = number(title, field=field) | {"scale": {"zero": True, "nice": alone}}
    encoding: Spec = {"y": row(), "x": place | ({} if alone else {"stack": "zero"}), "color": PART}
    encoding |= {"opacity": FADE, "order": {"field": "s"}}
    encoding |= {"x2": {"field": "x2"}} if alone else {}
    encoding["tooltip"] = TIP
    bars = layer("parts", "bar", encoding, [zoomed("x")] if alone else [], clip=True)
    return picked({"parts": {"run": "row", "kind": "name"} | told}, bars, height={"step": 17})


def medians() -> Spec:
    """The median of each set's runs with the middle half of them as a band; single runs on demand."""
    spec = curves()
    *below, lines, near = spec["layer"]
    near["params"] = [NEAR]
    place: Spec = {"x": number(None), "y": number(None, field="y"), "color": COLOUR, "detail": {"field": "s"}}
    half = place | {"y": number(None, field="low"), "y2": {"field": "high"}}
    half["opacity"] = {"condition": {"test": SHOWN, "value": 0.16}, "value": 0.02}
    line = place | {"strokeDash": DASH, "opacity": FADE}
    spec["layer"] = [
        *below,
        layer("medians", "area", half, clip=True),
        *(lines, near),
        layer("medians", "line", line, strokeWidth=2.2, clip=True),
        layer("medians", "point", place | {"opacity": FADE, "tooltip": TIP}, [zoomed("x", "y")], filled=True, size=16),
    ]
    tips = {
        "medians": {"series": "name", "epoch or pass": "x", "median": "y", "half of the runs from": "low", "to": "high"}
    }
    spec["usermeta"] |= {"tips": spec["usermeta"]["tips"] | tips, "single": "points"}
    return spec


ENDS = {"95 % from": "low", "to": "high"}


def forest(x: str, told: dict[str, str], one: bool = False) -> Spec:
    """A row for each set: its interval, its middle, and a tick for each run. With `one`, the axis is logarithmic and
    has a line at 1: twice and half as fast are equally far from it."""
    place = {"y": row(), "opacity": FADE}
    whisker = place | {"x": number(x, one, "low"), "x2": {"field": "high"}, "tooltip": TIP}
    whisker["color"] = COLOUR if one else {"value": INK}
    middle = place | {"x": number(x, one), "color": COLOUR, "tooltip": TIP}
    dot = {"filled": True, "size": 110, "stroke": "var(--card)", "opacity": 1}
    layers = [
        layer("sets", "rule", whisker, strokeWidth=2, clip=True),
        layer("runs", "tick", middle, thickness=1.4, clip=True),
        layer("sets", "point", middle | {"shape": SHAPE}, [zoomed("x")], **dot, clip=True),
    ]
    if one:
        rule = {"type": "rule", "stroke": INK, "strokeDash": [7, 4]}
        layers.insert(0, {"data": {"values": [{"x": 1}]}, "mark": rule, "encoding": {"x": number(x, one)}})
    tips = {"sets": told | ENDS, "runs": {"set": "row", "run": "run", "seconds": "x"}}
    return picked(tips, *layers, height={"step": 24}, log="" if one else "x")


def factors() -> Spec:
    """A row for each factor of a ratio of times, the sets below each other in it."""
    told = {"set": "set", "factor": "row", "value": "x", "here": "a", "other": "b"}
    spec = forest("factor of the time", told, True)
    for drawn in spec["layer"][1:]:
        drawn["encoding"]["yOffset"] = {"field": "s"}
    return spec | {"height": {"step": 19}}


SET = {"set": "set", "campaign": "campaign", "trial": "g"}  # what a mark of a scatter chart is of, where known
KNOWN = {"batch": "batch", "layout": "shape", "efficiency, %": "share", "it": "said"}


def scatter(x: str, y: str, log_x: bool = True, log_y: bool = True) -> Spec:
    """Sets or trials at two measures, with intervals, and lines of equal time or of ideal scaling."""
    place, look = {"x": number(x, log_x), "y": number(y, log_y, "y")}, {"color": COLOUR, "opacity": FADE}
    for axis in place.values():  # room, so that marks at the edge are not cut off
        axis["scale"] |= {"nice": False, "padding": 24}
    line, text = place | {"detail": {"field": "g"}}, place | {"text": {"field": "label"}}
    joined = place | look | {"detail": {"field": "s"}}
    ends = {axis: {axis: place[axis] | {"field": "low"}, f"{axis}2": {"field": "high"}} for axis in ("x", "y")}
    bars = {axis: place | end | look for axis, end in ends.items()}
    point = place | look | {"fillOpacity": {"value": 0.55}, "fill": COLOUR, "shape": SHAPE, "tooltip": TIP}
    return picked(
        {"points": SET | {x: "x", y: "y"} | KNOWN | ENDS},
        layer("lines", "line", line, strokeDash=[3, 4], strokeWidth=1, clip=True, stroke=SOFT),
        layer("labels", "text", text, align="right", dy=-5, dx=-8, fill=SOFT, fontSize=10),
        layer("joined", "line", joined, strokeWidth=1.4, clip=True),
        *(layer(f"{axis}bars", "rule", bar, strokeWidth=1.2, clip=True) for axis, bar in bars.items()),
        layer("points", "point", point, [zoomed("x", "y")], size=80, strokeWidth=2, clip=True),
        height=280,
        log="" if log_y else "y",
    )


def trend() -> Spec:
    """The best result of each system in every round."""
    rounds = {"field": "round", "type": "nominal", "sort": None, "title": "round", "axis": {"labelAngle": 0}}
    place = {"x": rounds, "y": number(None, True, "y"), "color": COLOUR, "opacity": FADE}
    told = {"series": "name", "round": "round", "best": "y", "system": "set", "devices": "units"}
    shape = {"shape": SHAPE, "fill": COLOUR, "fillOpacity": {"value": 0.5}, "tooltip": TIP}
    return picked(
        {"points": told},
        {"data": {"name": "points"}, "mark": "line", "encoding": place | {"detail": {"field": "s"}}},
        layer("points", "point", place | shape, size=80),
        height=280,
    )


def so_far() -> Spec:
    """The best time of a campaign over its cost, as a step line."""
    place = {"x": number("seconds of all trials until then"), "y": number("shortest seconds", field="y")}
    place |= {"color": COLOUR, "tooltip": TIP}
    told = {"seconds of trials": "x", "shortest seconds": "y"}
    return picked({"points": told}, layer("points", "line", place, interpolate="step-after", point=True), log="y")


SPECS: dict[str, Spec] = {
    "curves": curves(),
    "medians": medians(),
    "time": spans("v"),
    "shares": spans("share", "% of the time"),
    "timeline": spans("x"),
    "ranks": forest("seconds", {"set": "set", "rank": "rank", "seconds": "x"}),
    "factors": factors(),
    "batch": scatter("global batch size", "passes"),
    "rate": scatter("global batch size", "samples a second of the run"),
    "joint": scatter("samples a second of the run", "passes"),
    "units": scatter("devices", "samples a second of the run"),
    "energy": scatter("minutes", "kJ"),
    "strong": scatter("devices", "minutes"),
    "weak": scatter("devices of the system (T)", "models an hour"),
    "rates": scatter("devices", "training samples a second"),
    "trend": trend(),
    "setting": scatter("setting", "seconds", False, False),
    "setting log": scatter("setting", "seconds", True, False),
    "so far": so_far(),
}
