"""Small pieces of SVG: axes, marks and text. Every figure is a string; nothing is measured, nothing is fetched.

Colours come from the page's style sheet (classes and CSS variables), so that figures follow light, dark and print.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 360  # of a figure, in CSS pixels: fits a phone without shrinking its text


@dataclass(frozen=True)
class Axis:
    """Maps values in [low, high] to pixels in [start, stop], linearly or by logarithm."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        v = math.log(max(value, 1e-300)) if self.log else value
        share = (v - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.stop - self.start), 1)

    def ticks(self) -> list[float]:
        """Round values inside the axis, 3 to 8 of them."""
        return log_ticks(self.low, self.high) if self.log else linear_ticks(self.low, self.high)


def linear_ticks(low: float, high: float, most: int = 6) -> list[float]:
    if not high > low:
        return [low]
    step = 10 ** math.floor(math.log10((high - low) / most))
    step *= next(m for m in (1, 2, 5, 10, 20) if (high - low) / (step * m) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten; with 2 and 5 between them where the axis is short, and plain steps where it is very short."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [f * 10.0**d for d in decades for f in factors if low <= f * 10.0**d <= high]
        if len(found) >= 3:
            return found if len(found) <= 8 else found[:: math.ceil(len(found) / 8)]
    return linear_ticks(low, high, 5)


def bounds(values: Sequence[float], log: bool, pad: float = 0.08) -> tuple[float, float]:
    """The range of an axis that shows all values with some room; positive for a logarithm."""
    values = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if not values:
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = min(values), max(values)
    if log:
        room = max((high / low) ** pad, 1.15)
        return low / room, high * room
    room = (high - low) * pad or abs(high) * 0.1 or 1.0
    return low - room, high + room


def number(value: float) -> str:
    """A tick's label."""
    if value and (abs(value) >= 1e6 or abs(value) < 1e-3):
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    if abs(value) >= 10_000:
        return f"{value / 1000:g}k"
    return f"{value:g}"


def element(name: str, content: str = "", **attributes: object) -> str:
    """An element; `class_` is class, underscores become hyphens."""
    shown = "".join(
        f' {k.rstrip("_").replace("_", "-")}="{escape(str(v))}"' for k, v in attributes.items() if v is not None
    )
    return f"<{name}{shown}>{content}</{name}>" if content else f"<{name}{shown}/>"


def label(x: float, y: float, content: str, anchor: str = "start", **attributes: object) -> str:
    return element("text", escape(content), x=x, y=y, text_anchor=anchor, **attributes)


def titled(content: str, title: str) -> str:
    """A group that says what it is, to those who point at it and to those who hear it."""
    return element("g", element("title", escape(title)) + content)


def line(points: Sequence[tuple[float, float]], class_: str, **attributes: object) -> str:
    return element("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in points), class_=class_, **attributes)


def rectangles(spans: Sequence[tuple[float, float]], y: float, height: float, class_: str) -> str:
    """Bars from x to x at one height, as one path."""
    d = "".join(f"M{a:g} {y:g}h{max(b - a, 0.2):g}v{height:g}h{-max(b - a, 0.2):g}z" for a, b in spans)
    return element("path", d=d, class_=class_) if d else ""


MARKERS = ("circle", "square", "diamond", "up", "down", "cross")


def marker(x: float, y: float, shape: str, class_: str, r: float = 4.5) -> str:
    """A mark told by its shape as well as by its colour."""
    if shape == "circle":
        return element("circle", cx=x, cy=y, r=r, class_=class_)
    d = {
        "square": f"M{x - r} {y - r}h{2 * r}v{2 * r}h{-2 * r}z",
        "diamond": f"M{x} {y - r - 1}l{r + 1} {r + 1}l{-r - 1} {r + 1}l{-r - 1} {-r - 1}z",
        "up": f"M{x} {y - r}l{r} {2 * r}h{-2 * r}z",
        "down": f"M{x} {y + r}l{r} {-2 * r}h{-2 * r}z",
        "cross": f"M{x - r} {y - r}L{x + r} {y + r}M{x - r} {y + r}L{x + r} {y - r}",
    }[shape]
    return element("path", d=d, class_=class_)


def figure(content: str, height: float, title: str, width: float = WIDTH, class_: str = "figure") -> str:
    """A whole figure; `title` is what it shows, for those who don't see it."""
    return (
        f'<svg class="{class_}" role="img" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">'
        f"<title>{escape(title)}</title>{content}</svg>"
    )


def frame(x: Axis, y: Axis, x_label: str, y_label: str) -> str:
    """Grid, ticks and labels of a plot whose y axis points up (start below stop in value, above in pixels)."""
    parts = []
    for t in x.ticks():
        parts.append(element("line", x1=x(t), x2=x(t), y1=y.start, y2=y.stop, class_="grid"))
        parts.append(label(x(t), y.start + 14, number(t), "middle", class_="tick"))
    for t in y.ticks():
        parts.append(element("line", x1=x.start, x2=x.stop, y1=y(t), y2=y(t), class_="grid"))
        parts.append(label(x.start - 5, y(t) + 4, number(t), "end", class_="tick"))
    parts.append(label((x.start + x.stop) / 2, y.start + 30, x_label, "middle", class_="axis"))
    parts.append(label(4, y.stop - 8, y_label, "start", class_="axis"))
    return "".join(parts)
