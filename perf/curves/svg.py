"""Small pieces of SVG: axes, lines and text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

TICKS = 6  # intervals between ticks, at most


@dataclass(frozen=True)
class Axis:
    """Maps values in [low, high] to pixels in [start, stop]."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return round(self.start + share * (self.stop - self.start), 1)

    def ticks(self) -> list[float]:
        """Round values inside the axis, 3 to 8 of them."""
        width = self.high - self.low
        if not width > 0:
            return [self.low]
        step = 10 ** math.floor(math.log10(width / TICKS))
        step *= next(m for m in (1, 2, 5, 10, 20) if width / (step * m) <= TICKS)
        first = math.ceil(self.low / step - 1e-9)
        return [round(i * step, 12) for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def bounds(values: Sequence[float]) -> tuple[float, float]:
    """(low, high) of an axis that shows all finite values with some room."""
    values = [v for v in values if math.isfinite(v)]
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    return low - room, high + room


def number(value: float) -> str:
    """The label of a tick."""
    if value and (abs(value) >= 1e6 or abs(value) < 1e-3):
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    if abs(value) >= 10_000:
        return f"{value / 1000:g}k"
    return f"{value:g}"


def element(name: str, content: str = "", **attributes: object) -> str:
    """An SVG element. `class_` stands for class, underscores become hyphens, None leaves an attribute out."""
    shown = "".join(
        f' {k.rstrip("_").replace("_", "-")}="{escape(str(v))}"' for k, v in attributes.items() if v is not None
    )
    return f"<{name}{shown}>{content}</{name}>" if content else f"<{name}{shown}/>"


def label(x: float, y: float, content: str, anchor: str = "start", **attributes: object) -> str:
    """A text element at (x, y) pixels."""
    return element("text", escape(content), x=x, y=y, text_anchor=anchor, **attributes)


def titled(content: str, title: str) -> str:
    """A group with a title, which browsers show on hovering and screen readers read out."""
    return element("g", element("title", escape(title)) + content)


def line(points: Sequence[tuple[float, float]], class_: str, **attributes: object) -> str:
    """A polyline through points in pixels."""
    return element("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in points), class_=class_, **attributes)


def frame(x: Axis, y: Axis, x_label: str, y_label: str) -> str:
    """Grid, ticks and labels of a plot; its y axis points up, so that y.start > y.stop in pixels."""
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
