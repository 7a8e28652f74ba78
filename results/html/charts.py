"""The figures of one set of runs: convergence curves, where the time went, timelines, the error bar of a table."""

import math
from collections.abc import Sequence
from typing import Any

from compliance.reading.run import Run
from results.html.svg import WIDTH, Axis, bounds, element, figure, frame, label, line, rectangles, titled
from results.statistics.curve import curve
from results.statistics.decomposition import decompose, kinds
from results.tables.formatting import show

PARTS = ("staging", "training", "evaluation", "rest")
ROW = 15  # pixels of a run's bar
LEFT = 44  # pixels for what a bar is called
MOST = 40  # runs in a figure

Sets = Sequence[Sequence[Run]]


def sample(runs: Sequence[Any], most: int = MOST) -> list[Any]:
    """All runs, or `most` spread evenly over them."""
    if len(runs) <= most:
        return list(runs)
    return [runs[round(i * (len(runs) - 1) / (most - 1))] for i in range(most)]


def name_of(run: Run) -> str:
    return run.file.stem.removeprefix("result_")


def curves(runs: Sequence[Run], target: float | None, beside: Sets = ()) -> str:
    """The metric over epochs, a line a run, and the target. The axes reach as far as the sets `beside` it need."""
    series = [curve(run) for run in sample(runs)]
    if not any(series):
        return ""
    seen = [at for found in (series, *([curve(run) for run in sample(b)] for b in beside)) for s in found for at in s]
    values = [v for _, v in seen] + ([target] if target is not None else [])
    last = max(x for x, _ in seen)
    x, y = Axis(0, max(last, 1), 46, WIDTH - 12, False), Axis(*bounds(values, False), 196, 24)
    parts = [frame(x, y, "epoch", runs[0].metric)]
    for i, (run, points) in enumerate(zip(sample(runs), series, strict=True)):
        if points:
            drawn = line([(x(a), y(b)) for a, b in points], f"curve c{i % 8}", stroke_dasharray=DASHES[i // 8 % 4])
            parts.append(titled(drawn, f"run {name_of(run)}: {show(points[-1][1])} after {show(points[-1][0])} epochs"))
    if target is not None:
        parts.append(line([(x.start, y(target)), (x.stop, y(target))], "target"))
        parts.append(label(x.start + 4, y(target) - 4, f"target {target:g}", class_="tick"))
    return figure("".join(parts), 232, "Convergence: the metric of each run over its epochs")


DASHES = (None, "6 3", "2 2", "8 2 2 2")


def breakdown(runs: Sequence[Run], kept: set[str], beside: Sets = ()) -> str:
    """Stacked bars: seconds of staging, training, evaluation and the rest of each run, by the same scale as in the sets
    `beside` it."""
    shown = [(run, decompose(run)) for run in sample(runs)]
    shown = [(run, d) for run, d in shown if d]
    if not shown:
        return ""
    x = Axis(0, max(longest(found, False) for found in (runs, *beside)), LEFT, WIDTH - 12)
    parts = [legend()]
    for i, (run, d) in enumerate(shown):
        y, at = 24 + i * ROW, 0
        for part in PARTS:
            ms = getattr(d, part)
            bar = rectangles([(x(at / 1000), x((at + ms) / 1000))], y, ROW - 3, part) if ms else ""
            parts.append(
                titled(bar, f"run {name_of(run)}: {part} {ms / 1000:.3f} of {d.total / 1000:.3f} s") if bar else ""
            )
            at += ms
        parts.append(run_label(run, y, run.path in kept))
    height = 24 + len(shown) * ROW
    return figure("".join(parts) + time_axis(x, height), height + 34, "Where each run's time went, in seconds")


def longest(runs: Sequence[Run], together: bool) -> float:
    """Seconds from a start, or from the first start if runs ran `together`, to a stop, at most."""
    windows = [run.window for run in sample(runs) if run.window]
    first = min((a for a, _ in windows), default=0)
    return max((b - (first if together else a) for a, b in windows), default=0) / 1000


def timeline(runs: Sequence[Run], together: bool, beside: Sets = ()) -> str:
    """What each run did when, in seconds since its start; since the first start if runs ran `together`. By the same
    scale as in the sets `beside` it."""
    shown = [run for run in sample(runs) if run.window]
    if not shown:
        return ""
    first = min(run.window[0] for run in shown)
    origin = {run.path: first if together else run.window[0] for run in shown}
    x = Axis(0, max(longest(found, together) for found in (runs, *beside)), LEFT, WIDTH - 12)
    parts = [legend()]
    for i, run in enumerate(shown):
        y = 24 + i * ROW
        for part, spans in kinds(run).items():
            since = origin[run.path]
            parts.append(
                rectangles([(x((a - since) / 1000), x((b - since) / 1000)) for a, b in spans], y, ROW - 3, part)
            )
        parts.append(run_label(run, y, True))
    height = 24 + len(shown) * ROW
    since = "the first start" if together else "its start"
    return figure("".join(parts) + time_axis(x, height), height + 34, f"Timeline of each run, seconds since {since}")


def run_label(run: Run, y: float, kept: bool) -> str:
    return label(LEFT - 6, y + ROW - 5, name_of(run)[:6], "end", class_="tick" if kept else "tick dropped")


def legend() -> str:
    """What the colours of bars mean."""
    parts, at = [], LEFT
    for part in PARTS:
        parts.append(rectangles([(at, at + 10)], 5, 10, part) + label(at + 14, 14, part, class_="tick"))
        at += 20 + 7 * len(part)
    return "".join(parts)


def time_axis(x: Axis, y: float) -> str:
    parts = [element("line", x1=x(t), x2=x(t), y1=20, y2=y, class_="grid over") for t in x.ticks()]
    parts += [
        label(x(t), y + 12, str(int(t)) if t >= 1 or not t else f"{t:g}", "middle", class_="tick") for t in x.ticks()
    ]
    return "".join(parts) + label((x.start + x.stop) / 2, y + 28, "seconds", "middle", class_="axis")


def error_bar(times: Sequence[float], fom: float, low: float | None, high: float | None, x: Axis) -> str:
    """One table cell: every run as a tick, the figure of merit and its interval."""
    y, finite = 12, [t for t in times if math.isfinite(t)]
    step = max(1, len(finite) // 60)
    d = "".join(f"M{x(t):g} {y - 4}v8" for t in sorted(finite)[::step])
    parts = [element("path", d=d, class_="run")]
    if low is not None:
        a, b = x(max(low, x.low)), x(min(high, x.high))
        parts.append(line([(a, y), (b, y)], "whisker"))
    parts.append(element("circle", cx=x(fom), cy=y, r=4, class_="fom"))
    said = f"{show(fom)} s" + (f", 95 % {show(low)} to {show(high)}" if low is not None else "")
    return figure("".join(parts), 24, said, x.stop + 4, "bar")
