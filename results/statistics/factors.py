"""The ratio of two systems' times as a product: what devices, rate, samples to the target, evaluation, staging and the
rest each make of it.

The mean times of the runs that a figure of merit averages add up to it: T = training + evaluation + staging + rest,
and training = samples / (devices x rate), where the rate is samples a second a device. So T(A) / T(B) is exactly the
product of six factors. Evaluation, staging and rest are factors in this order: each is by how much it lengthens what
stands before it. What the logs of one of the two don't tell from training counts as training in both: evaluation and
rest where evaluations run beside it, staging where it runs beside it or is not logged.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from results.runs.columns import Row
from results.statistics.result import Result
from results.statistics.score import LEVEL
from results.statistics.student import Part, half_width

PARTS = ("training", "evaluation", "staging", "rest")
RATE = "samples a second a device"
STAGED_RATE = f"{RATE}, staging included"


@dataclass(frozen=True)
class Factor:
    """One factor of time(A) / time(B): its name, its value, the value of each system behind it, and the ends of its
    95 % interval, None where it has none: a number of devices has no error."""

    name: str
    value: float
    a: float
    b: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Measured:
    """A system by factor: the value whose ratio is the factor, the sign of its logarithm in it, and each run's relative
    deviation from the value, [] for what has no error."""

    name: str
    value: float
    sign: int
    deviations: tuple[float, ...]


def factors(a: Result, b: Result) -> list[Factor]:
    """The factors of fom(A) / fom(B); [] if a set has no figure of merit, devices or samples are unknown, or the sets
    are of different benchmarks."""
    if a.fom is None or b.fom is None or a.group[1] != b.group[1]:
        return []
    rows = [row for r in (a, b) for row in r.rows if row.converged]
    apart = [part for part in PARTS[1:] if all(getattr(row, f"{part}_ms") is not None for row in rows)]
    one, other = measured(a, apart), measured(b, apart)
    return [factor(x, y) for x, y in zip(one, other, strict=True)] if one and other else []


def factor(a: Measured, b: Measured) -> Factor:
    """The factor of two systems. Its interval is the delta method's on the logarithm, Student's with Welch's degrees of
    freedom."""
    value = (a.value / b.value) ** a.sign
    half = half_width([Part(squared_error(m.deviations), len(m.deviations) - 1) for m in (a, b)], 1 - LEVEL)
    if not half:
        return Factor(a.name, value, a.value, b.value)
    return Factor(a.name, value, a.value, b.value, value * math.exp(-half), value * math.exp(half))


def squared_error(deviations: Sequence[float]) -> float:
    """The squared standard error of the mean of relative deviations."""
    n = len(deviations)
    return math.fsum(d * d for d in deviations) / (n - 1) / n if n > 1 else 0.0


def measured(r: Result, apart: Sequence[str]) -> list[Measured]:
    """What a system's figure of merit is made of; [] if devices, samples or parts are unknown. `apart` are the parts
    that stand apart from training.

    Values are of the runs that the figure of merit averages; deviations of all that converged, so that trimming doesn't
    make an error smaller than it is.
    """
    devices, rows = r.one("units"), [row for row in r.rows if row.converged]
    used = [row for row, counts in zip(r.rows, r.mask, strict=True) if counts]
    if not devices or not used or len(rows) < 2 or not all(row.trained and row.training_ms for row in rows):
        return []

    def mean(value: Callable[[Row], float]) -> float:
        return math.fsum(map(value, used)) / len(used)

    def ratio(above: Callable[[Row], float], below: Callable[[Row], float]) -> tuple[float, list[float]]:
        x, y = mean(above), mean(below)
        return x / y, [above(row) / x - below(row) / y for row in rows]

    first = tuple(part for part in PARTS if part not in apart)
    rate, of_rate = ratio(lambda row: 1000 * (row.trained or 0) / devices, partial(milliseconds, parts=first))
    number, of_number = ratio(lambda row: row.trained or 0, lambda row: 1)
    found = [
        Measured("devices", devices, -1, ()),
        Measured(RATE if "staging" in apart else STAGED_RATE, rate, -1, tuple(of_rate)),
        Measured("samples to the target", number, 1, tuple(at_least_half_a_step(of_number, used))),
    ]
    before = first
    for part in apart:
        after = (*before, part)
        grown, of_part = ratio(partial(milliseconds, parts=after), partial(milliseconds, parts=before))
        found.append(Measured(part, grown, 1, tuple(of_part)))
        before = after
    return found


def at_least_half_a_step(deviations: list[float], rows: Sequence[Row]) -> list[float]:
    """The deviations of samples to the target, none smaller on average than half the samples between evaluations: runs
    that end at the same evaluation don't show that all would."""
    least = 0.5 / max(row.evaluations or 1 for row in rows)
    found = math.sqrt(math.fsum(d * d for d in deviations) / (len(deviations) - 1))
    return (
        deviations if found >= least else [least * math.sqrt((len(deviations) - 1) / len(deviations))] * len(deviations)
    )


def milliseconds(row: Row, parts: Sequence[str]) -> float:
    """The milliseconds of some parts of a run."""
    return float(sum(getattr(row, f"{part}_ms") or 0 for part in parts))
