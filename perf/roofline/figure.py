"""The extended roofline as SVG: what each channel of a machine allows, and where workloads are."""

import math
from collections.abc import Mapping, Sequence

from perf.curves.svg import Axis, element, label, line, titled
from perf.roofline.counts import CHANNELS, Counts

WIDTH, LEFT, RIGHT, TOP, BOTTOM, ROW = 860, 60, 690, 44, 420, 20  # pixels
COLOURS = {"memory": "#0072b2", "link": "#8a6d00", "network": "#007a5a", "storage": "#c04f00"}
SHAPES = ("M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0", "M-5,-5h10v10h-10z", "M0,-6l6,10h-12z", "M0,-6l6,6l-6,6l-6,-6z")
NEAR = 13  # pixels: lines of text do not come nearer to each other
STYLE = """text { font: 12px system-ui, "Segoe UI", Roboto, sans-serif; fill: #1b1f24; }
.tick, .axis { fill: #57606a; font-size: 11px; } .name { font-size: 14px; font-weight: 600; }
.grid { stroke: #e3e7eb; } .peak { stroke: #1b1f24; stroke-width: 2; } .roof { stroke-width: 2; }
.tie { stroke: #57606a; stroke-dasharray: 2 4; }
"""


def figure(
    name: str, workloads: Sequence[Counts], peaks: Mapping[str, float], roofs: Sequence[Mapping[str, float]]
) -> str:
    """The SVG of workloads on one machine. `peaks` is {precision: FLOP/s}, and `roofs` has bytes/s by channel for each
    workload, of which storage may differ: each workload has a storage roof then."""
    shown = [(one, channel) for one in workloads for channel in CHANNELS if one.moved[channel]]
    xs = [math.log10(one.intensity(channel)) for one, channel in shown]
    ys = [math.log10(one.rate) for one in workloads] + [math.log10(peak) for peak in peaks.values()]
    x = Axis(math.floor(min(xs)) - 0.0, math.ceil(max(xs)), LEFT, RIGHT)
    y = Axis(math.floor(min(ys)) - 1, math.ceil(max(ys) + 0.1), BOTTOM, TOP)
    parts = [grid(x, y), *(peak(x, y, precision, rate) for precision, rate in peaks.items())]
    parts += roof_lines(x, y, roofs)
    labels = spread([y(math.log10(one.rate)) for one in workloads])
    for number, (one, at) in enumerate(zip(workloads, labels, strict=True)):
        parts.append(marks(x, y, one, SHAPES[number % len(SHAPES)]))
        parts.append(label(RIGHT + 26, at + 4, words(one)))
        parts.append(element("path", d=SHAPES[number % len(SHAPES)], transform=f"translate({RIGHT + 14} {at})"))
    notes = (
        "A workload has a mark for each channel that it uses, in the colour of the channel's line, at its own rate.",
        "What lies between a mark and its line, straight up, is what that channel would still allow.",
    )
    parts += [label(LEFT, BOTTOM + 52 + 15 * i, note, class_="axis") for i, note in enumerate(notes)]
    height = BOTTOM + 76
    title = element("title", f"Extended roofline of {name}: {'; '.join(map(words, workloads))}")
    head = element("rect", width=WIDTH, height=height, fill="white") + element("style", STYLE)
    head += label(LEFT, 18, f"Extended roofline: {name}", class_="name")
    view = {"viewBox": f"0 0 {WIDTH} {height}", "width": WIDTH, "height": height}
    return element("svg", title + head + "".join(parts), xmlns="http://www.w3.org/2000/svg", role="img", **view) + "\n"


def words(one: Counts) -> str:
    """A workload's name in the chart."""
    return one.problem + (f", {one.layout.ranks} ranks" if one.layout.ranks > 1 else ", 1 rank")


def grid(x: Axis, y: Axis) -> str:
    """A line and a label for each power of ten."""
    parts = []
    for power in range(math.ceil(x.low), math.floor(x.high) + 1):
        parts.append(element("line", x1=x(power), x2=x(power), y1=y.start, y2=y.stop, class_="grid"))
        parts.append(
            label(
                x(power), y.start + 14, f"10^{power}" if abs(power) > 1 else f"{10**power:g}", "middle", class_="tick"
            )
        )
    for power in range(math.ceil(y.low), math.floor(y.high) + 1):
        parts.append(element("line", x1=x.start, x2=x.stop, y1=y(power), y2=y(power), class_="grid"))
        parts.append(label(x.start - 5, y(power) + 4, rate(10.0**power), "end", class_="tick"))
    parts.append(
        label(
            (x.start + x.stop) / 2,
            y.start + 32,
            "FLOP for each byte that goes through a channel",
            "middle",
            class_="axis",
        )
    )
    return "".join([*parts, label(4, y.stop - 8, "FLOP/s of a rank", class_="axis")])


def rate(value: float) -> str:
    """A power of ten with its prefix: 10 G."""
    power = math.floor(math.log10(value) / 3 + 1e-9)
    return f"{value / 1000**power:g} {('', 'k', 'M', 'G', 'T', 'P')[power]}"


def peak(x: Axis, y: Axis, precision: str, flops: float) -> str:
    """The ceiling of computing in a precision."""
    at = y(math.log10(flops))
    shown = line([(x.start, at), (x.stop, at)], "peak", fill="none")
    return shown + label(x.stop - 4, at - 5, f"{precision}: {flops / 1e12:.3g} TFLOP/s", "end", class_="tick")


def roof_lines(x: Axis, y: Axis, roofs: Sequence[Mapping[str, float]]) -> list[str]:
    """A line for each rate of a channel, from one end of the plot to the other, with its name along it."""
    parts, starts = [], []
    for channel in CHANNELS:
        for speed in sorted({roof[channel] for roof in roofs}):
            power = math.log10(speed)
            first, last = max(x.low, y.low - power), min(x.high, y.high - power)
            if last <= first:
                continue
            ends = [(x(at), y(at + power)) for at in (first, last)]
            drawn = line(ends, "roof", stroke=COLOURS[channel], fill="none")
            slope = math.degrees(math.atan2(ends[1][1] - ends[0][1], ends[1][0] - ends[0][0]))
            at = first + 0.06 * (last - first)
            while any(abs(x(at) - left) + abs(y(at + power) - top) < 3 * NEAR for left, top in starts):
                at += 0.1
            starts.append((x(at), y(at + power)))
            turned = f"rotate({slope:.1f} {x(at)} {y(at + power)})"
            text = label(
                x(at), y(at + power) - 5, f"{channel} {speed / 1e9:.3g} GB/s", fill=COLOURS[channel], transform=turned
            )
            parts.append(titled(drawn + text, f"{channel}: {speed / 1e9:.4g} GB/s of a rank"))
    return parts


def marks(x: Axis, y: Axis, one: Counts, shape: str) -> str:
    """A workload's marks, one a channel, tied by a line that leads to its name."""
    at = y(math.log10(one.rate))
    used = [channel for channel in CHANNELS if one.moved[channel]]
    places = {channel: x(math.log10(one.intensity(channel))) for channel in used}
    parts = [line([(min(places.values()), at), (RIGHT, at)], "tie", fill="none")]
    for channel, place in places.items():
        mark = element("path", d=shape, fill=COLOURS[channel], stroke="white", transform=f"translate({place} {at})")
        parts.append(titled(mark, f"{words(one)}: {one.intensity(channel):.3g} FLOP for a byte of {channel}"))
    return "".join(parts)


def spread(places: Sequence[float]) -> list[float]:
    """The heights of lines of text near these places, far enough from each other."""
    found = dict.fromkeys(range(len(places)), 0.0)
    above = -math.inf
    for index in sorted(found, key=lambda i: places[i]):
        above = found[index] = max(places[index], above + NEAR + 4)
    return [found[index] for index in range(len(places))]
