"""The statistics of a campaign's trials. Pure functions over seconds; a trial that did not reach its target is
`math.inf`. Nothing here reads a file.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, linear_regression, mean, median, stdev

from results.statistics.score import LEVEL

DRAWS = 2000  # of an interval by simulation
SEED = 20261122  # of these: the same numbers give the same interval
TINY = 1e-12  # the least chance that is drawn: its inverse is finite


@dataclass(frozen=True)
class Estimate:
    """A number and its interval of 95 %; infinite where it can't be told."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Best:
    """The best of `k` trials that are drawn from a campaign's: the share of draws in which one reached the target, and
    the expected time of the best one where one did; None where none could."""

    k: int
    share: float
    seconds: float | None


def running_time(costs: Sequence[float], reached: Sequence[bool]) -> float:
    """The expected running time to the target (Hansen et al. 2009): the cost of all trials over the number that reached
    it. It is what restarting at random points until one reaches the target costs on average. Infinite if none did."""
    successes = sum(reached)
    return math.fsum(costs) / successes if successes else math.inf


def running_time_interval(costs: Sequence[float], reached: Sequence[bool]) -> Estimate:
    """The same with its interval. With a chance p of success it is the mean cost of a success, and (1 - p) / p times
    that of a failure: p is drawn from Jeffreys' distribution for a share (Brown, Cai and DasGupta 2001), the means from
    Student's around those of the trials. Without failures one costs as much as the dearest trial. Without successes
    there is no upper end, and a success costs nothing at the lower one."""
    hits = [cost for cost, hit in zip(costs, reached, strict=True) if hit]
    misses = [cost for cost, hit in zip(costs, reached, strict=True) if not hit]
    draws, found = random.Random(SEED), []
    for _ in range(DRAWS):
        chance = max(draws.betavariate(len(hits) + 0.5, len(misses) + 0.5), TINY)
        success = _mean(draws, hits) if hits else 0.0
        failure = _mean(draws, misses) if misses else max(costs)
        found.append(success + (1 - chance) / chance * failure)
    found.sort()
    edge = round((1 - LEVEL) / 2 * DRAWS)
    return Estimate(running_time(costs, reached), found[edge], found[-1 - edge] if hits else math.inf)


def _mean(draws: random.Random, costs: Sequence[float]) -> float:
    """A mean as these costs let it be: their own, and Student's t times its standard error; not below 0."""
    freedom = len(costs) - 1
    if not freedom:
        return costs[0]
    t = draws.gauss(0, 1) / math.sqrt(draws.gammavariate(freedom / 2, 2) / freedom)
    return max(0.0, mean(costs) + t * stdev(costs) / math.sqrt(len(costs)))


def best_of(times: Sequence[float]) -> list[Best]:
    """The expected best of k trials, for k from 1 to all of them, exactly: over all C(N, k) draws without
    replacement. The time of rank i is the best of C(N - i, k - 1) draws; failures come last."""
    ordered, total = sorted(times), len(times)
    successes = sum(math.isfinite(t) for t in ordered)
    found = []
    for k in range(1, total + 1):
        weight, weights = k / total, []  # of rank i: C(N - i, k - 1) / C(N, k)
        for i in range(1, successes + 1):
            weights.append(weight)
            weight *= (total - i - k + 1) / (total - i) if i < total else 0
        hits = math.fsum(weights)
        mean = math.fsum(t * w for t, w in zip(ordered, weights, strict=False)) / hits if hits else None
        found.append(Best(k, min(1.0, hits), mean))
    return found


def share(successes: int, trials: int, pruned: int = 0) -> Estimate:
    """The share of the space that reaches the target, with Wilson's interval (1927). Points of a sequence that fills
    the space evenly vary less than independent ones, for which it is made. Of trials that were `pruned` nobody knows:
    the share is at least what it is without them, and the upper end is that of all of these reaching the target."""
    if pruned:
        return Estimate(successes / trials, share(successes, trials).low, share(successes + pruned, trials).high)
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    p, n = successes / trials, trials
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At none and at all the ends are exactly 0 and 1, but for rounding.
    low, high = (0.0 if successes == 0 else middle - half), (1.0 if successes == trials else middle + half)
    return Estimate(p, low, high)


def studies(times: Sequence[float], count: int = 3, size: int = 5) -> float | None:
    """AlgoPerf's score (Dahl et al. 2023): of `count` studies of `size` trials each, in the order of their indices, the
    median of the best times. None of fewer trials; infinite where most studies have none that reached the target."""
    if len(times) < count * size:
        return None
    return median(min(times[i * size : (i + 1) * size]) for i in range(count))


def profile(times: dict[str, dict[str, float]]) -> dict[str, list[tuple[float, float]]]:
    """Performance profiles (Dolan and More 2002): by system the steps (tau, share of problems that it solves in at most
    tau times the shortest time of all systems). `times` is by system and problem; what is missing was not solved."""
    problems = sorted({problem for found in times.values() for problem in found})
    shortest = {p: min(found.get(p, math.inf) for found in times.values()) for p in problems}
    solved = [p for p in problems if math.isfinite(shortest[p])]
    steps = {}
    for system, found in times.items():
        ratios = sorted(found[p] / shortest[p] for p in solved if math.isfinite(found.get(p, math.inf)))
        steps[system] = [(ratio, (i + 1) / len(problems)) for i, ratio in enumerate(ratios)]
    return steps


def best_so_far(spans: Sequence[tuple[float, float, bool]]) -> list[tuple[float, float]]:
    """(cost until then, shortest time until then) whenever a trial is a new best; of (stop on the wall, seconds,
    reached) of each trial, costs in seconds of all trials that had stopped."""
    cost, best, found = 0.0, math.inf, []
    for _, seconds, reached in sorted(spans):
        cost += seconds
        if reached and seconds < best:
            best = seconds
            found.append((cost, best))
    return found


def critical_batch(points: Sequence[tuple[float, float]]) -> float | None:
    """The critical batch size B of samples(b) = least (1 + b / B) (McCandlish et al. 2018), by least squares over
    (batch size, samples to the target); at it twice the least samples are needed. None of fewer than three batch sizes,
    or where samples don't grow with the batch size from a positive number."""
    if len({b for b, _ in points}) < 3:
        return None
    line = linear_regression(*zip(*points, strict=True))
    return line.intercept / line.slope if line.slope > 0 and line.intercept > 0 else None
