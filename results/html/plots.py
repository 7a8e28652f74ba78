"""The figures that put submissions side by side: the joint plot of convergence and speed, and scaling.

Farrell et al., MLPerf HPC (2021): time to train = staging + epochs x samples / throughput, so that systems differ by
how many epochs their batch size costs, and by how much throughput their size buys.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from results.html.svg import MARKERS, WIDTH, Axis, bounds, figure, frame, label, line, marker, titled
from results.statistics.result import Result
from results.tables.formatting import show

TOP, BOTTOM, LEFT, RIGHT = 26, 226, 52, WIDTH - 18
HEIGHT = BOTTOM + 38


@dataclass(frozen=True)
class Point:
    """A set of runs in a plot: its letter, colour and shape, and where it stands, with half-widths of error bars."""

    letter: str
    colour: int
    shape: str
    hollow: bool
    what: str
    x: float
    y: float
    dx: float = 0.0
    dy: float = 0.0


@dataclass(frozen=True)
class Style:
    """How a set looks in every plot of its group."""

    letter: str
    colour: int
    shape: str
    hollow: bool


def styles(results: Sequence[Result]) -> dict[str, Style]:
    """A letter for each set, a colour and a shape for each organisation; the open division is hollow."""
    orgs = sorted({r.org for r in results})
    place = {org: i for i, org in enumerate(orgs)}
    return {
        r.name: Style(letters(i), place[r.org] % 8, MARKERS[place[r.org] % len(MARKERS)], r.group[4].lower() == "open")
        for i, r in enumerate(results)
    }


def letters(i: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    return (letters(i // 26 - 1) if i >= 26 else "") + chr(ord("A") + i % 26)


def plot(
    points: Sequence[Point],
    x_label: str,
    y_label: str,
    title: str,
    under: Callable[[Axis, Axis], str] | None = None,
    reach: Sequence[float] = (),
) -> str:
    """Points with error bars on logarithmic axes; `under(x, y)` draws what lies below them, up to the heights `reach`.
    "" without points."""
    points = [p for p in points if p.x > 0 and p.y > 0 and math.isfinite(p.x) and math.isfinite(p.y)]
    if not points:
        return ""
    x = Axis(*bounds([v for p in points for v in (p.x, p.x - p.dx, p.x + p.dx)], True), LEFT, RIGHT, True)
    heights = [*reach, *(v for p in points for v in (p.y, p.y - p.dy, p.y + p.dy))]
    y = Axis(*bounds(heights, True), BOTTOM, TOP, True)
    parts = [frame(x, y, x_label, y_label), under(x, y) if under else ""]
    for p, (dx, dy) in zip(points, letter_places([(x(p.x), y(p.y)) for p in points]), strict=True):
        drawn = draw(p, x, y) + label(x(p.x) + dx, y(p.y) + dy, p.letter, "middle", class_="letter")
        parts.append(titled(drawn, f"{p.letter} {p.what}: {x_label} {show(p.x)}, {y_label} {show(p.y)}"))
    return figure("".join(parts), HEIGHT, title)


def draw(p: Point, x: Axis, y: Axis) -> str:
    parts = []
    if p.dx:
        parts.append(line([(x(max(p.x - p.dx, x.low)), y(p.y)), (x(p.x + p.dx), y(p.y))], f"whisker c{p.colour}"))
    if p.dy:
        parts.append(line([(x(p.x), y(max(p.y - p.dy, y.low))), (x(p.x), y(p.y + p.dy))], f"whisker c{p.colour}"))
    parts.append(marker(x(p.x), y(p.y), p.shape, f"mark c{p.colour}" + (" hollow" if p.hollow else "")))
    return "".join(parts)


AROUND = ((10, -5), (10, 12), (-10, -5), (-10, 12), (0, -10), (0, 18), (19, 4), (-19, 4), (28, 4), (-28, 4), (37, 4))


def letter_places(spots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where each point's letter goes, relative to it: the first place around it that no mark and no letter takes."""
    taken = [(a, b + 4) for a, b in spots]
    places = []
    for a, b in spots:
        free = [(dx, dy) for dx, dy in AROUND if all(abs(a + dx - u) > 8 or abs(b + dy - v) > 11 for u, v in taken)]
        place = free[0] if free else AROUND[0]
        places.append(place)
        taken.append((a + place[0], b + place[1]))
    return places


def points(results: Sequence[Result], x: str, y: str, error: bool = True) -> list[Point]:
    """Sets at the means of two columns of their runs, with standard deviations."""
    look, found = styles(results), []
    for r in results:
        a, b = r.mean(x), r.mean(y)
        if a and b:
            s = look[r.name]
            bars = (r.deviation(x) or 0.0, r.deviation(y) or 0.0) if error else (0.0, 0.0)
            found.append(Point(s.letter, s.colour, s.shape, s.hollow, f"{r.org} {r.system}", a, b, *bars))
    return found


def joint(results: Sequence[Result]) -> list[str]:
    """Batch size against epochs; units against throughput; throughput against epochs with lines of equal time."""
    scored = [r for r in results if any(r.mask)]
    both = points(results, "compute_rate", "passes")
    samples = next((r.mean("train_samples") for r in scored if r.mean("train_samples")), None)
    return [
        plot(
            points(results, "batch", "passes"), "global batch size", "epochs", "Batch size against epochs to the target"
        ),
        plot(points(results, "units", "compute_rate"), "units", "samples / s", "Units against training throughput"),
        plot(
            both,
            "samples / s",
            "epochs",
            "Throughput against epochs, with lines of equal computing time",
            (lambda x, y: iso_time(x, y, samples)) if samples else None,
        ),
    ]


def iso_time(x: Axis, y: Axis, samples: float) -> str:
    """Lines along which epochs x samples / throughput is the same time."""
    shortest, longest = y.low * samples / x.high, y.high * samples / x.low
    parts = []
    for seconds, name in DURATIONS:
        if shortest < seconds < longest:
            a = max(x.low, y.low * samples / seconds)
            b = min(x.high, y.high * samples / seconds)
            if b > a:
                ends = [(x(a), y(a * seconds / samples)), (x(b), y(b * seconds / samples))]
                parts.append(line(ends, "iso") + label(ends[1][0] - 9, ends[1][1] + 11, name, "end", class_="tick"))
    return "".join(parts)


DURATIONS = (
    *((2, "2 s"), (10, "10 s"), (60, "1 min"), (300, "5 min"), (1200, "20 min"), (3600, "1 h"), (14400, "4 h")),
    *((57600, "16 h"), (259200, "3 d"), (864000, "10 d")),
)


def scaling(results: Sequence[Result]) -> list[str]:
    """Time to train over units (strong) or models per hour over the system's units (weak), and the ideal slope from
    each organisation's smallest system."""
    look = styles(results)
    strong = [(r, r.fom / 60, half(r) / 60, r.mean("units")) for r in results if r.fom is not None]
    weak = [(r, r.throughput.models_per_hour, 0.0, r.throughput.total) for r in results if r.throughput is not None]

    def placed(rows: list) -> list[Point]:
        return [
            Point(s.letter, s.colour, s.shape, s.hollow, f"{r.org} {r.system}", units, value, 0.0, error)
            for r, value, error, units in rows
            if units and (s := look[r.name])
        ]

    return [
        plot(p := placed(strong), "units", "minutes", "Strong scaling: time to train over units", ideal(p, -1)),
        plot(
            p := placed(weak),
            "units of the system",
            "models / h",
            "Weak scaling: models per hour over units",
            ideal(p, 1),
        ),
    ]


def half(r: Result) -> float:
    """Half the width of the figure of merit's interval."""
    t = r.score.trimmed
    return 0.0 if t is None or t.low is None else (t.high - t.low) / 2


def ideal(points: Sequence[Point], slope: int) -> Callable[[Axis, Axis], str]:
    """From the smallest of each colour: what perfect scaling would give."""

    def under(x: Axis, y: Axis) -> str:
        parts = []
        for colour in sorted({p.colour for p in points}):
            mine = sorted((p for p in points if p.colour == colour), key=lambda p: p.x)
            if mine[-1].x > mine[0].x:
                a, edge = mine[0], y.low if slope < 0 else y.high
                b = min(mine[-1].x, a.x * (edge / a.y) ** (1 / slope))
                value = a.y * (b / a.x) ** slope
                parts.append(line([(x(a.x), y(a.y)), (x(b), y(value))], f"ideal c{colour}"))
        return "".join(parts)

    return under
