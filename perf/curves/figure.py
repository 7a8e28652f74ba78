"""The figure of a problem's convergence: validation scores over epochs and over seconds, as SVG."""

import statistics
from collections.abc import Callable, Sequence

from perf.curves.runs import Run, Series
from perf.curves.svg import Axis, bounds, element, frame, label, line, titled
from perf.curves.table import machine

PANEL, HEIGHT, GAP = 400, 300, 30  # pixels
TOP, LEFT, BOTTOM, ROW = 44, 44, 264, 20
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b3578f", "#a67c00", "#6b6b6b")
DASHES = (None, "9 4", "2 4", "9 4 2 4", "16 4", "5 3")  # of medians, beside their colours
STYLE = """text { font: 12px system-ui, "Segoe UI", Roboto, sans-serif; fill: #1b1f24; }
.tick, .axis { fill: #57606a; font-size: 11px; } .name { font-size: 14px; font-weight: 600; }
.grid { stroke: #e3e7eb; } .target { stroke: #1b1f24; stroke-dasharray: 7 4; fill: none; }
.run { fill: none; stroke-width: 1; opacity: .4; } .median { fill: none; stroke-width: 2.6; } .end { opacity: .75; }
"""


def figure(series: Sequence[Series], score: str) -> str:
    """The SVG of one problem: a thin line for each run, a dot where it met the target, a thick line for each median."""
    names = [words(one) for one in series]
    height = HEIGHT + ROW * (len(series) + 1) + 6
    panels = [panel(series, score, "epoch", epochs_of), panel(series, score, "seconds", lambda run: run.elapsed)]
    parts = [element("rect", width=2 * PANEL + GAP, height=height, fill="white"), element("style", STYLE)]
    parts.append(label(LEFT, 18, f"{series[0].problem}: {score} of the reference's runs", class_="name"))
    parts += [element("g", p, transform=f"translate({i * (PANEL + GAP)} 0)") for i, p in enumerate(panels)]
    for i, name in enumerate(names):
        y = HEIGHT + ROW * i + 8
        key = line([(LEFT, y), (LEFT + 36, y)], "median", stroke=COLOURS[i % 6], stroke_dasharray=DASHES[i % 6])
        parts.append(key + label(LEFT + 46, y + 4, name))
    y = HEIGHT + ROW * len(series) + 12
    parts.append(
        label(LEFT, y, "Thick lines: median. Thin lines: runs. Dots: where a run met the target.", class_="axis")
    )
    title = element("title", f"{series[0].problem}: {score} over epochs and over seconds; {'; '.join(names)}")
    view = {"viewBox": f"0 0 {2 * PANEL + GAP} {height}", "width": 2 * PANEL + GAP, "height": height}
    return element("svg", title + "".join(parts), xmlns="http://www.w3.org/2000/svg", role="img", **view) + "\n"


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


def epochs_of(run: Run) -> Sequence[float]:
    """The epochs 1, 2, ... of a run's scores."""
    return range(1, len(run.scores) + 1)


def panel(series: Sequence[Series], score: str, name: str, along: Callable[[Run], Sequence[float]]) -> str:
    """A plot of scores over epochs or seconds; `along` gives the horizontal values of a run."""
    runs = [run for one in series for run in one.runs]
    x = Axis(0, 1.04 * max(along(run)[-1] for run in runs), LEFT, PANEL - 6)
    low, high = bounds([s for run in runs for s in run.scores] + [one.target for one in series])
    y = Axis(max(0.0, low) if not series[0].lower else low, high, BOTTOM, TOP)
    parts = [frame(x, y, name, score)]
    for target in sorted({one.target for one in series}):
        parts.append(line([(x.start, y(target)), (x.stop, y(target))], "target"))
        parts.append(label(x.start + 4, y(target) - 5, f"target {target:g}"))
    for i, one in enumerate(series):
        parts.append(curves(one, x, y, along, COLOURS[i % 6], DASHES[i % 6]))
    return "".join(parts)


def curves(
    one: Series, x: Axis, y: Axis, along: Callable[[Run], Sequence[float]], colour: str, dash: str | None
) -> str:
    """The lines of a series' runs and of their median."""
    parts = []
    for run in one.runs:
        places = [(x(a), y(s)) for a, s in zip(along(run), run.scores, strict=True)]
        drawn = line(places, "run", stroke=colour)
        if met := one.reached(run):
            drawn += element("circle", cx=places[met - 1][0], cy=places[met - 1][1], r=2.6, fill=colour, class_="end")
        parts.append(
            titled(drawn, f"seed {run.seed}: {met or 'more than ' + str(len(places))} epochs, {run.seconds:g} s")
        )
    middle = [(x(a), y(s)) for a, s in median_curve(one, along)]
    return "".join(parts) + line(middle, "median", stroke=colour, stroke_dasharray=dash)


def median_curve(one: Series, along: Callable[[Run], Sequence[float]]) -> list[tuple[float, float]]:
    """(median position, median score) after each epoch, until the median meets the target.

    A run that has stopped keeps its last score. Its later positions are unknown, so the median position is that of the
    runs that continue.
    """
    found = []
    for i in range(max(len(run.scores) for run in one.runs)):
        score = statistics.median(run.scores[min(i, len(run.scores) - 1)] for run in one.runs)
        found.append((statistics.median(along(run)[i] for run in one.runs if i < len(run.scores)), score))
        if score <= one.target if one.lower else score >= one.target:
            break
    return found
