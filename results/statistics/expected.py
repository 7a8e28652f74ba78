"""The expected time of a set: what its machine would take for the samples that the reference needs.

A run's own samples to the target depend on its seed. So the expected time takes the reference's, which an edition
publishes by batch size: staging, and these samples over the samples a second that the runs measured, evaluation
included. It ranks nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from results.statistics.factors import squared_error
from results.statistics.result import Result
from results.statistics.score import LEVEL
from results.statistics.student import Part, half_width
from rules.edition import load
from rules.reference import neighbours

STEP = 1 / 6  # of an epoch: the least deviation of the reference's runs, which end at evaluations


@dataclass(frozen=True)
class Expected:
    """An expected time in seconds. `samples` are the reference's to the target, from the points at `batches`: one batch
    size, or two with a straight line between them. `speed` is the error of what the runs measured, `points` that of the
    reference's samples, for each batch size."""

    seconds: float
    samples: float
    batches: tuple[int, ...]
    speed: Part
    points: tuple[Part, ...]

    @property
    def speed_error(self) -> float:
        """The relative standard error that the measured speed brings."""
        return math.sqrt(self.speed.squared)

    @property
    def points_error(self) -> float:
        """The relative standard error that the reference's samples bring."""
        return math.sqrt(math.fsum(p.squared for p in self.points))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval in seconds, of both errors."""
        half = widest((self.speed, *self.points))
        return self.seconds * math.exp(-half), self.seconds * math.exp(half)


@dataclass(frozen=True)
class Ratio:
    """One expected time over another, with its 95 % interval; None without deviation between runs."""

    value: float
    low: float | None
    high: float | None


def expected(r: Result) -> tuple[Expected | None, str]:
    """(the expected time of a set, why it has none)."""
    if why := hindrance(r):
        return None, why
    edition, batch = load(r.judged.edition), r.one("batch")
    points = edition.points(r.group[1], r.group[2])
    weights = neighbours(points, batch)
    if not weights:
        sizes = f": those known are {', '.join(map(str, sorted(points)))}" if points else ""
        return None, f"the edition has no reference points at a batch size of {batch:g}{sizes}"
    rows = [row for row in r.rows if row.converged and row.compute_rate]
    counts_samples = edition.benchmarks[r.group[1]].epoch_num == "samples"
    of_an_epoch = 1 if counts_samples else r.one("train_samples")
    if not of_an_epoch or len(rows) < 2:
        return None, "the logs don't say how many samples a second the runs took"
    epochs = math.fsum(weight * points[size].mean for size, weight in weights.items())
    staged = [(row.staging_ms or 0) / 1000 for row in rows]
    seconds = [s + epochs * of_an_epoch / (row.compute_rate or math.nan) for s, row in zip(staged, rows, strict=True)]
    mean = fmean(seconds)
    per_epoch = (1 - fmean(staged) / mean) / epochs  # by which share an epoch more lengthens the time
    least = 0.0 if counts_samples else STEP
    known = [(points[size], weight * per_epoch) for size, weight in weights.items()]
    return Expected(
        seconds=mean,
        samples=epochs * of_an_epoch,
        batches=tuple(weights),
        speed=Part(squared_error([s / mean - 1 for s in seconds]), len(rows) - 1),
        points=tuple(Part((max(p.deviation, least) * by) ** 2 / p.runs, p.runs - 1) for p, by in known),
    ), ""


def reference_epochs(r: Result) -> tuple[float, ...]:
    """The epochs of the reference's runs that the edition publishes for a set's problem and batch size; () for none.
    Those of MLPerf HPC's benchmarks, which have no problems, may count samples."""
    point = load(r.judged.edition).points(r.group[1], r.group[2]).get(r.one("batch")) if r.group[2] else None
    return point.epochs if point else ()


def hindrance(r: Result) -> str:
    """Why a set can have no expected time, whatever its batch size; "" if it can."""
    if r.why:
        return "no score"
    if r.weak:
        return "a throughput set trains many models at once"
    if r.group[4] != "closed":
        return "the open division may need other samples than the reference"
    return "" if r.one("batch") is not None else "the runs have no batch size in common"


def widest(parts: Sequence[Part], together: int = 1) -> float:
    """Half of the 95 % interval of a logarithm; `together` intervals hold at once (Bonferroni)."""
    return half_width(parts, (1 - LEVEL) / together)


def ratio(a: Expected, b: Expected, together: int = 1) -> Ratio:
    """a over b. At one batch size both have the reference's samples in common, so that only what the runs measured
    has an error."""
    value = a.seconds / b.seconds
    causes = [a.speed, b.speed] if a.samples == b.samples else [a.speed, b.speed, *a.points, *b.points]
    half = widest(causes, together)
    return Ratio(value, value * math.exp(-half), value * math.exp(half)) if half else Ratio(value, None, None)
