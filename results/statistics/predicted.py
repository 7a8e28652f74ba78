"""The time of a system at a batch size that it did not run, from two curves over the batch.

Time without staging = samples to the target / batch x seconds a step (Farrell et al., MLPerf HPC, 2021, figure 2).
Samples to the target are those of all sets at a batch size, between two batch sizes on a straight line. Seconds of a
step and devices are the system's own, between two of its batch sizes on a straight line. Beyond them a device keeps its
samples, a step its seconds, and the devices grow with the batch. On a given number of devices, a device keeps the
seconds of a sample that it has on the numbers of devices which the system ran, between two of them on a straight line.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from results.statistics.expected import widest
from results.statistics.factors import Measured, measured, squared_error
from results.statistics.result import Result
from results.statistics.student import Part
from rules.reference import neighbours

WHOLE = 0.05  # of a number of devices: as much may be rounded


class Size(NamedTuple):
    """What sets of one batch size show: devices, samples to the target, seconds of a step."""

    devices: float
    samples: Measured
    step: Measured

    def pace(self, batch: int) -> Measured:
        """Seconds that one device takes for a sample."""
        return replace(self.step, value=self.step.value * self.devices / batch)


class Predicted(NamedTuple):
    """Seconds without staging on so many devices, with the ends of the 95 % interval."""

    seconds: float
    devices: int
    low: float
    high: float


def sizes(sets: Iterable[Result]) -> dict[int, Size]:
    """{batch size: what the sets of it show together}, smallest first; sets of unknown batch, devices or samples are
    left out."""
    found: dict[int, list[list[Measured]]] = {}
    for r in sets:
        if (batch := r.one("batch") or 0) >= 1 and (known := measured(r, ("staging",))):
            found.setdefault(int(batch), []).append(known)
    made = {}
    for batch, of in sorted(found.items()):
        devices, rates, samples, _ = zip(*of, strict=True)
        steps = [replace(x, value=batch / (n.value * x.value)) for n, x in zip(devices, rates, strict=True)]
        made[batch] = Size(devices[0].value, pooled(samples), pooled(steps))
    return made


def pooled(of: Sequence[Measured]) -> Measured:
    """The mean over the runs of all sets, with their deviations from it."""
    runs = [(m.value, d) for m in of for d in m.deviations]
    mean = math.fsum(value for value, _ in runs) / len(runs)
    return replace(of[0], value=mean, deviations=tuple(math.hypot(d, value / mean - 1) for value, d in runs))


def line(points: Mapping[int, Measured], batch: float) -> tuple[float, list[Part]]:
    """The value at a batch size inside of the points', on the straight line between its neighbours, and its errors."""
    parts = [(weight * points[b].value, points[b].deviations) for b, weight in neighbours(points, batch).items()]
    value = math.fsum(part for part, _ in parts)
    return value, [Part((part / value) ** 2 * squared_error(found), len(found) - 1) for part, found in parts]


def predicted(everyone: Mapping[int, Size], own: Mapping[int, Size], batch: int) -> Predicted | None:
    """The time of a system that ran its `own` sizes, at a batch size inside of `everyone`'s; None outside of them, and
    if each device can't keep its samples on a whole number of devices."""
    if not neighbours(everyone, batch):
        return None
    end = min(max(batch, min(own)), max(own))
    devices = math.fsum(w * own[b].devices for b, w in neighbours(own, end).items()) * batch / end
    if abs(round(devices) - devices) > WHOLE * devices:
        return None
    samples, errors = samples_at(everyone, own, batch)
    step, others = line({b: size.step for b, size in own.items()}, end)
    return with_interval(samples / batch * step, round(devices), [*errors, *others])


def predicted_on(devices: int, everyone: Mapping[int, Size], own: Mapping[int, Size], batch: int) -> Predicted | None:
    """The time of a system that ran its `own` sizes on so many devices; None for a batch size outside of `everyone`'s.
    Of several own sizes on one number of devices, the one with the nearest batch size says how fast a device is."""
    if not neighbours(everyone, batch):
        return None
    nearest_last = sorted(own, key=lambda b: abs(math.log(b / batch)), reverse=True)
    paces = {round(own[b].devices): own[b].pace(b) for b in nearest_last}
    samples, errors = samples_at(everyone, own, batch)
    pace, others = line(paces, min(max(devices, min(paces)), max(paces)))
    return with_interval(samples * pace / devices, devices, [*errors, *others])


def samples_at(everyone: Mapping[int, Size], own: Mapping[int, Size], batch: int) -> tuple[float, list[Part]]:
    """Samples to the target: the system's own at a batch size that it ran, else those of all; and their errors."""
    curve = own if batch in own else everyone
    return line({b: size.samples for b, size in curve.items()}, batch)


def with_interval(seconds: float, devices: int, errors: Sequence[Part]) -> Predicted:
    """A time with the 95 % interval that its errors give."""
    spread = math.exp(widest(errors))
    return Predicted(seconds, devices, seconds / spread, seconds * spread)


def left_out(everyone: Mapping[int, Size]) -> dict[int, float]:
    """{batch size: predicted over measured samples to the target} of each batch size between two others, whose runs are
    left out of the prediction."""
    samples = {b: size.samples for b, size in everyone.items()}
    inner = sorted(samples)[1:-1]
    return {b: line({a: s for a, s in samples.items() if a != b}, b)[0] / samples[b].value for b in inner}
