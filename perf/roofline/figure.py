"""The extended roofline as SVG: what each channel of a machine allows, and where workloads are."""

import math
from collections.abc import Mapping, Sequence

from perf.curves.svg import Axis, element, label, line, titled
from perf.roofline.counts import CHANNELS, Counts

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 860, 60, 690, 44, 420  # pixels
COLOURS = {"memory": "#0072b2", "link": "#8a6d00", "network": "#007a5a", "storage": "#c04f00"}
SHAPES = ("M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0", "M-5,-5h10v10h-10z", "M0,-6l6,10h-12z", "M0,-6l6,6l-6,6l-6,-6z")
HEIGHT, NEAR = BOTTOM + 92, 17  # pixels: the whole, and the distance of lines of text
NOTES = (
    "A workload has a mark for each channel that it uses, in the colour of the channel's line, at its own rate.",
    "What lies between a mark and its line, straight up, is what that channel would still allow.",
)
Roofs = Sequence[tuple[str, float]]  # (channel, then more words; bytes/s of a rank)
STYLE = """text { font: 12px system-ui, "Segoe UI", Roboto, sans-serif; fill: #1b1f24; }
.tick, .axis { fill: #57606a; font-size: 11px; } .name { font-size: 14px; font-weight: 600; }
.grid { stroke: #e3e7eb; } .peak { stroke: #1b1f24; stroke-width: 2; } .roof { stroke-width: 2; }
.along { paint-order: stroke; stroke: white; stroke-width: 3px; }
.tie { stroke: #57606a; stroke-dasharray: 2 4; }
"""


def figure(name: str, source: str, workloads: Sequence[Counts], peaks: Mapping[str, float], roofs: Roofs) -> str:
    """The SVG of workloads on a machine. `peaks` is {precision: FLOP/s}, `source` says where its rates are from."""
    xs = [one.intensity(channel) for one in workloads for channel in CHANNELS if one.moved[channel]]
    xs += [min(peaks.values()) / speed / 3 for _, speed in roofs]  # so that each line meets a peak in sight
    ys = [one.rate for one in workloads] + list(peaks.values())
    x = Axis(math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs))), LEFT, RIGHT)
    y = Axis(math.floor(math.log10(min(ys))) - 1, math.ceil(math.log10(max(ys)) + 0.1), BOTTOM, TOP)
    parts = [grid(x, y), *(peak(x, y, precision, flops) for precision, flops in peaks.items())]
    parts += [roof(x, y, label_of, speed, number) for number, (label_of, speed) in enumerate(roofs)]
    heights = spread([y(math.log10(one.rate)) for one in workloads])
    for number, (one, at) in enumerate(zip(workloads, heights, strict=True)):
        shape = SHAPES[number % len(SHAPES)]
        parts.append(marks(x, y, one, shape))
        parts.append(element("path", d=shape, transform=f"translate({RIGHT + 14} {at})"))
        parts.append(label(RIGHT + 26, at + 4, words(one)))
    for number, note in enumerate((source, *NOTES)):
        parts.append(label(LEFT, BOTTOM + 52 + 15 * number, note, class_="axis"))
    title = element("title", f"Extended roofline of {name}: {'; '.join(map(words, workloads))}")
    head = element("rect", width=WIDTH, height=HEIGHT, fill="white") + element("style", STYLE)
    head += label(LEFT, 18, f"Extended roofline: {name}", class_="name")
    view = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "width": WIDTH, "height": HEIGHT}
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


def roof(x: Axis, y: Axis, name: str, speed: float, number: int) -> str:
    """The line of a channel's rate, from one end of the plot to the other. Its name stands along it, each further up
    than the one before, as lines may be near to each other."""
    colour, power = COLOURS[name.partition(" ")[0].strip(",")], math.log10(speed)
    first, last = max(x.low, y.low - power), min(x.high, y.high - power)
    ends = [(x(at), y(at + power)) for at in (first, last)]
    slope = math.degrees(math.atan2(ends[1][1] - ends[0][1], ends[1][0] - ends[0][0]))
    at = first + (0.05 + 0.22 * (number % 4)) * (last - first)
    place = {"transform": f"rotate({slope:.1f} {x(at)} {y(at + power)})", "style": f"fill: {colour}"}
    shown = f"{speed / 1e9:,.0f}" if speed >= 1e11 else f"{speed / 1e9:.3g}"
    text = label(x(at), y(at + power) - 5, f"{name}: {shown} GB/s", class_="along", **place)
    return titled(line(ends, "roof", stroke=colour, fill="none") + text, f"{name}: {speed / 1e9:.4g} GB/s of a rank")


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
        above = found[index] = max(places[index], above + NEAR)
    return [found[index] for index in range(len(places))]
