"""The charts as Vega-Lite specifications, one for each kind, without data.

A chart in a page names its kind and holds its rows; `report.js` joins the two. A row's `s` is the number of its series,
which gives name, colour, dash and shape. Colours are variables of the style sheet, so that charts follow light, dark
and print. A specification holds nothing from a submission: names from strangers are in rows only.
"""

from typing import Any

PARTS = ("staging", "training", "evaluation", "rest")
COLOURS, DASHES, SHAPES = 8, 4, 6  # numbers of looks that can be told apart
DASH = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2])
SHAPE = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
INK, SOFT = "var(--ink)", "var(--soft)"
FAINT = 0.07  # opacity of series that the reader did not pick
SHOWN = "only < 0 || datum.s === only"

Spec = dict[str, Any]


def scaled(field: str, values: int, steps: list) -> Spec:
    """The encoding of a field with the values 0, 1, ... by one of a few looks."""
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": list(range(values)), "range": list(steps)},
        "legend": None,
    }


COLOUR = scaled("c", COLOURS, [f"var(--c{i})" for i in range(COLOURS)])
FADE = {"condition": {"test": SHOWN, "value": 1}, "value": FAINT}


def number(title: str | None, log: bool = False, field: str = "x") -> Spec:
    """A quantitative axis."""
    scale = {"type": "log", "nice": False, "padding": 24} if log else {"zero": False, "nice": True}
    axis = {"labelOverlap": "greedy", "labelSeparation": 5}
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


def zoomed(*axes: str) -> Spec:
    """Zooming with Shift and the wheel (without Shift the page scrolls), and moving."""
    select = {"type": "interval", "encodings": list(axes), "zoom": "wheel![event.shiftKey]"}
    return {"name": "zoom", "select": select, "bind": "scales"}


NEAR = {
    "name": "near",
    "select": {"type": "point", "fields": ["g"], "on": "pointerover", "nearest": True, "clear": "pointerout"},
}


def curves(x: str) -> Spec:
    """A line for each run, the target, and a band of the reference's epochs."""
    position = {"x": number(x), "y": number(None, field="y")}
    line = {"color": COLOUR, "strokeDash": scaled("d", DASHES, list(DASH)), "opacity": FADE, "detail": {"field": "g"}}
    told = {"series": "name", "run": "run", "epoch": "x", "seconds": "t", "value": "y", "log line": "at"}
    near = {"condition": {"param": "near", "empty": False, "value": 1}, "value": 0}
    line["strokeWidth"] = {"condition": {"param": "near", "empty": False, "value": 3.5}, "value": 1.4}
    return picked(
        {"points": told, "target": {"target": "y"}, "band": {"the reference's epochs from": "x", "to": "x2"}},
        {
            "data": {"name": "band"},
            "mark": {"type": "rect", "fill": "var(--band)", "stroke": "var(--band)", "opacity": 0.5},
            "encoding": {"x": number(x), "x2": {"field": "x2"}, "tooltip": TIP},
        },
        {
            "data": {"name": "target"},
            "mark": {"type": "rule", "stroke": INK, "strokeDash": [7, 4]},
            "encoding": {"y": number(None, field="y"), "tooltip": TIP},
        },
        {
            "data": {"name": "points"},
            "mark": {"type": "line", "clip": True},
            "encoding": position | line,
        },
        {
            "data": {"name": "points"},
            "transform": [{"filter": SHOWN}],
            "params": [NEAR, zoomed("x", "y")],
            "mark": {"type": "point", "filled": True, "size": 44, "clip": True},
            "encoding": position | {"color": COLOUR, "opacity": near, "tooltip": TIP},
        },
        log="y",
    )


def spans(field: str, height: int = 17) -> Spec:
    """Bars by part of the time: stacked seconds (`field` "v"), or spans from `x` to `x2` (`field` "x")."""
    kinds = {
        "field": "name",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": list(PARTS), "range": [f"var(--{kind})" for kind in PARTS]},
    }
    told = {"seconds from": "x", "to": "x2"} if field == "x" else {"seconds": "v", "of": "total"}
    place = number("seconds", field=field) | {"scale": {"zero": True}}
    encoding: Spec = {"y": row(), "x": place | ({"stack": "zero"} if field == "v" else {}), "color": kinds}
    encoding |= {"opacity": FADE, "order": {"field": "s"}}
    encoding |= {"x2": {"field": "x2"}} if field == "x" else {}
    encoding["tooltip"] = TIP
    mark = {"data": {"name": "parts"}, "mark": {"type": "bar", "clip": True}, "encoding": encoding}
    mark |= {"params": [zoomed("x")]} if field == "x" else {}
    return picked({"parts": {"run": "row", "kind": "name"} | told}, mark, height={"step": height})


def forest(x: str, told: dict[str, str], one: bool = False) -> Spec:
    """A row for each set: its interval, its middle, and a tick for each run. With `one`, the axis is logarithmic and
    has a line at 1: twice and half as fast are equally far from it."""
    place = {"y": row(), "opacity": FADE}
    whisker = {"x": number(x, one, "low"), "x2": {"field": "high"}}
    layers = [
        {
            "data": {"name": "sets"},
            "mark": {"type": "rule", "strokeWidth": 2, "stroke": INK, "clip": True},
            "encoding": place | whisker | {"tooltip": TIP},
        },
        {
            "data": {"name": "runs"},
            "mark": {"type": "tick", "thickness": 1.4, "clip": True},
            "encoding": place | {"x": number(x, one), "color": COLOUR, "tooltip": TIP},
        },
        {
            "data": {"name": "sets"},
            "params": [zoomed("x")],
            "mark": {"type": "point", "filled": True, "size": 80, "stroke": "var(--card)", "opacity": 1, "clip": True},
            "encoding": place | {"x": number(x, one), "color": COLOUR, "tooltip": TIP},
        },
    ]
    if one:
        rule = {"type": "rule", "stroke": INK, "strokeDash": [7, 4]}
        layers.insert(0, {"data": {"values": [{"x": 1}]}, "mark": rule, "encoding": {"x": number(x, one)}})
    tips = {"sets": told, "runs": {"set": "row", "run": "run", "seconds": "x"}}
    return picked(tips, *layers, height={"step": 24}, log="" if one else "x")


def scatter(x: str, y: str, told: dict[str, str]) -> Spec:
    """Sets at two of their means with standard deviations, and lines of equal time or of ideal scaling."""
    place = {"x": number(x, True), "y": number(y, True, "y")}
    return picked(
        {"points": told},
        {
            "data": {"name": "lines"},
            "mark": {"type": "line", "strokeDash": [3, 4], "strokeWidth": 1, "clip": True, "stroke": SOFT},
            "encoding": place | {"detail": {"field": "g"}},
        },
        {
            "data": {"name": "labels"},
            "mark": {"type": "text", "align": "right", "dy": -5, "dx": -3, "fill": SOFT, "fontSize": 10},
            "encoding": place | {"text": {"field": "label"}},
        },
        {
            "data": {"name": "joined"},
            "mark": {"type": "line", "strokeWidth": 1.4, "clip": True},
            "encoding": place | {"color": COLOUR, "detail": {"field": "s"}, "opacity": FADE},
        },
        *(
            {
                "data": {"name": f"{axis}bars"},
                "mark": {"type": "rule", "strokeWidth": 1.2, "clip": True},
                "encoding": place
                | {axis: place[axis] | {"field": "low"}, f"{axis}2": {"field": "high"}}
                | {"color": COLOUR, "opacity": FADE},
            }
            for axis in ("x", "y")
        ),
        {
            "data": {"name": "points"},
            "params": [zoomed("x", "y")],
            "mark": {"type": "point", "size": 80, "strokeWidth": 2, "clip": True},
            "encoding": place
            | {
                "color": COLOUR,
                "shape": scaled("h", SHAPES, list(SHAPE)),
                "fillOpacity": {"condition": {"test": "datum.hollow", "value": 0}, "value": 0.55},
                "fill": COLOUR,
                "opacity": FADE,
                "tooltip": TIP,
            },
        },
        height=280,
    )


def trend() -> Spec:
    """The best result of each system in every round."""
    rounds = {"field": "round", "type": "nominal", "sort": None, "title": "round", "axis": {"labelAngle": 0}}
    place = {"x": rounds, "y": number(None, True, "y"), "color": COLOUR, "opacity": FADE}
    told = {"series": "name", "round": "round", "best": "y", "system": "set", "units": "units"}
    shape = {"shape": scaled("h", SHAPES, list(SHAPE)), "fill": COLOUR, "fillOpacity": {"value": 0.5}, "tooltip": TIP}
    return picked(
        {"points": told},
        {"data": {"name": "points"}, "mark": "line", "encoding": place | {"detail": {"field": "s"}}},
        {"data": {"name": "points"}, "mark": {"type": "point", "size": 80}, "encoding": place | shape},
        height=280,
    )


def parallel() -> Spec:
    """A line for each trial over the axes of a campaign's settings."""
    axes = {"field": "axis", "type": "nominal", "sort": None, "title": None, "axis": {"labelAngle": 0}}
    place = {"x": axes, "y": number("share of the axis", field="y"), "color": COLOUR, "opacity": FADE}
    place["detail"] = {"field": "g"}
    told = {"trial": "g", "setting": "axis", "value": "value", "it": "said"}
    dashed = {"strokeDash": scaled("d", DASHES, list(DASH))}
    line = {"data": {"name": "points"}, "mark": {"type": "line", "strokeWidth": 1.2}, "encoding": place | dashed}
    mark = {"data": {"name": "points"}, "mark": {"type": "point", "size": 40}, "encoding": place | {"tooltip": TIP}}
    return picked({"points": told}, line, mark)


def trials(x: str, log: bool = False) -> Spec:
    """The seconds of trials over a setting."""
    place = {"x": number(x, log), "y": number("seconds", field="y"), "color": COLOUR, "opacity": FADE, "tooltip": TIP}
    for axis in ("x", "y"):  # room, so that marks at the edge are not cut off
        place[axis]["scale"] |= {"nice": False, "padding": 16}
    shape = {"shape": scaled("h", SHAPES, list(SHAPE))}
    told = {"trial": "g", x: "x", "seconds": "y", "it": "said"}
    mark = {"data": {"name": "points"}, "mark": {"type": "point", "size": 60}, "encoding": place | shape}
    return picked({"points": told}, mark | {"params": [zoomed("x", "y")]}, log="y")


def so_far() -> Spec:
    """The best time of a campaign over its cost, as a step line."""
    place = {"x": number("seconds of all trials until then"), "y": number("shortest seconds", field="y")}
    place |= {"color": COLOUR, "tooltip": TIP}
    mark = {"type": "line", "interpolate": "step-after", "point": True}
    told = {"seconds of trials": "x", "shortest seconds": "y"}
    return picked({"points": told}, {"data": {"name": "points"}, "mark": mark, "encoding": place}, log="y")


def by_batch() -> Spec:
    """Samples to the target over batch size, with intervals."""
    place = {"x": number("global batch size", True), "color": COLOUR, "opacity": FADE}
    rule = place | {"y": number("samples to the target", True, "low"), "y2": {"field": "high"}}
    mark = place | {"y": number("samples to the target", True, "y"), "tooltip": TIP}
    mark["shape"] = scaled("h", SHAPES, list(SHAPE))
    told = {"system": "name", "campaign": "campaign", "batch": "x", "samples": "y", "95 % from": "low", "to": "high"}
    return picked(
        {"points": told},
        {"data": {"name": "points"}, "mark": {"type": "rule"}, "encoding": rule},
        {"data": {"name": "points"}, "mark": {"type": "point", "size": 70, "filled": True}, "encoding": mark},
    )


def of_sets(x: str, y: str) -> Spec:
    """The scatter chart of two measures of sets."""
    return scatter(x, y, {"set": "set", x: "x", y: "y", "division": "division"})


ENDS = {"95 % from": "low", "to": "high"}
SPECS: dict[str, Spec] = {
    "curves": curves("epoch"),
    "time": spans("v"),
    "timeline": spans("x"),
    "ranks": forest("seconds", {"set": "set", "rank": "rank", "seconds": "x"} | ENDS),
    "ratios": forest("time of A / time of the other", {"sets": "set", "ratio": "x"} | ENDS, True),
    "batch": of_sets("global batch size", "epochs"),
    "units": of_sets("units", "samples / s"),
    "joint": of_sets("samples / s", "epochs"),
    "energy": of_sets("minutes", "kJ"),
    "strong": of_sets("units", "minutes"),
    "weak": of_sets("units of the system", "models / h"),
    "rates": scatter("units", "samples / s", {"series": "name", "units": "x", "samples / s": "y", "layout": "shape"}),
    "trend": trend(),
    "parallel": parallel(),
    "setting": trials("setting"),
    "setting log": trials("setting", True),
    "so far": so_far(),
    "by batch": by_batch(),
}
