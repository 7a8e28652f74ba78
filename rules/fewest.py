"""The fewest epochs that reference convergence points allow a set.

The test is that of MLPerf's checker of reference convergence points (mlperf_logging/rcp_checker, version 4.1.68):
Student's t for two samples of one deviation, that of the points. An edition chooses the chance at which an honest set
is found, and whether means are "olympic", without the fastest and the slowest run, as MLPerf's are. Between two batch
sizes, means and deviations are on a straight line. MLPerf's leaves out points beside which others are faster, and
counts degrees of freedom as if the deviation were that of both samples: with ten runs of a point it finds twice as many
honest sets at one in a thousand.

Where epochs are crossings and means aren't olympic, the test is of their logarithms, and means are geometric. Seeds are
slow by far more than others are fast: one run of 23 took 6.6 epochs where most took 2.1 to 3.9, and by the epochs
themselves that run alone would hide any set from the test.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.merit import trim_count
from rules.reference import ReferencePoint, neighbours
from rules.student import above

RUNS = 2  # runs of a point for each run that a set needs: MLPerf's
COARSE = 0.5  # epochs: the least deviation of points that say nothing of what is between evaluations


@dataclass(frozen=True)
class Allowed:
    """What points allow. `least` is the fewest epochs on average, `mean` the reference's; `batches` are those of the
    points, one or two. With `between`, epochs are where the score crosses the target between two evaluations. Means are
    geometric with `geometric`."""

    least: float
    mean: float
    batches: tuple[int, ...]
    between: bool
    geometric: bool


def allowed(
    points: Mapping[int, ReferencePoint], batch: float, runs: int, required: int, chance: float, olympic: bool = False
) -> Allowed | None:
    """What the points allow a set of so many `runs` at a batch size, if an honest one may be found with this `chance`.

    None outside of all points, and where a point has fewer than twice the runs that a set is `required` to have.
    """
    points = kept(points) if olympic else points
    weights = neighbours(points, batch)
    chosen = [points[size] for size in weights]
    dropped = 2 if olympic else 0
    if not chosen or runs <= dropped or any(p.runs < RUNS * required for p in chosen):
        return None
    between = all(p.between for p in chosen)
    geometric = between and not olympic
    epochs = [p.crossings if between else p.epochs for p in chosen]
    spreads = [centre_and_spread([*map(math.log, e)] if geometric else e, olympic) for e in epochs]
    mean = math.fsum(w * m for w, (m, _) in zip(weights.values(), spreads, strict=True))
    spread = math.fsum(w * s for w, (_, s) in zip(weights.values(), spreads, strict=True))
    if not between and not olympic:
        spread = max(spread, COARSE)
    known = chosen[0].runs - dropped if len(chosen) == 1 else RUNS * required
    own = runs - dropped
    error = spread * math.sqrt(1 / known + 1 / own)
    degrees = known + own - 2 if olympic else known - 1
    least = mean - above(chance, degrees) * error
    least, mean = (math.exp(least), math.exp(mean)) if geometric else (least, mean)
    return Allowed(least, mean, tuple(weights), between, geometric)


def kept(points: Mapping[int, ReferencePoint]) -> dict[int, ReferencePoint]:
    """The points that MLPerf's checker keeps: none of a smaller batch size than the fastest one, and, from small to
    large, none that is slower than a straight line between its neighbours."""
    means = {size: centre_and_spread(points[size].epochs, True)[0] for size in sorted(points)}
    sizes = [size for size in means if size >= min(means, key=lambda s: means[s])]
    i = 1
    while i < len(sizes) - 1:
        low, size, high = sizes[i - 1 : i + 2]
        line = means[low] + (means[high] - means[low]) * (size - low) / (high - low)
        if means[size] > line:
            del sizes[i]
            i -= 1
        i += 1
    return {size: points[size] for size in sizes}


def centre_and_spread(epochs: Sequence[float], olympic: bool) -> tuple[float, float]:
    """Mean and standard deviation: MLPerf's (the deviation of all runs, over n) where they are olympic."""
    if not olympic:
        return statistics.fmean(epochs), statistics.stdev(epochs)
    return statistics.fmean(sorted(epochs)[1:-1]), statistics.pstdev(epochs)


def evened(epochs: Sequence[float]) -> list[float]:
    """The epochs of a set, of which the slowest that its figure of merit drops count as the next slower one: a run that
    was slowed down on purpose costs a set nothing, and would hide the others from the test."""
    k = trim_count(len(epochs))
    most = sorted(epochs)[-1 - k] if len(epochs) > 2 * k else math.inf
    return [e if math.isinf(e) else min(e, most) for e in epochs]


def average(epochs: Sequence[float], olympic: bool, geometric: bool = False) -> float:
    """The mean epochs of a set: of the runs that reached the target, `evened`, or an olympic one in which others are
    infinite. Infinity where no run is left; a geometric mean is 0 where a run says that it needed nothing, or less."""
    kept = sorted(epochs)[1:-1] if olympic else [e for e in evened(epochs) if math.isfinite(e)]
    if not kept:
        return math.inf
    if geometric and min(kept) <= 0:
        return 0.0
    return statistics.geometric_mean(kept) if geometric else statistics.fmean(kept)
