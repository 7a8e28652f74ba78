"""The statistics of a campaign's trials.

Pure functions over seconds. The time of a trial that did not reach its target is `math.inf`.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, linear_regression, mean, stdev

from results.statistics.score import LEVEL

DRAWS = 2000  # draws of a simulated interval
SEED = 20261122  # fixed, so that the same trials give the same interval
TINY = 1e-12  # the least chance that is drawn, so that its inverse is finite


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval. An end is infinite if there is none, NaN if too few runs give an interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Best:
    """The best of `k` trials drawn from a campaign: the share of draws in which any reached the target, and the
    expected seconds of the best one in these draws; None if no draw has one."""

    k: int
    share: float
    seconds: float | None


def running_time(costs: Sequence[float], reached: Sequence[bool]) -> float:
    """The expected running time to the target (Hansen et al. 2009): the cost of all trials over the number that reached
    it, infinite if none did. Restarting at random points until one reaches the target costs this on average."""
    successes = sum(reached)
    return math.fsum(costs) / successes if successes else math.inf


def running_time_interval(costs: Sequence[float], reached: Sequence[bool]) -> Estimate:
    """The expected running time with its interval, by simulation.

    With a chance p of success, it is the mean cost of a success plus (1 - p) / p times that of a failure. Draws of p
    come from Jeffreys' distribution for a share (Brown, Cai and DasGupta 2001), draws of the means from Student's
    around the trials' means. Without failures, a failure is taken to cost as much as the most expensive trial. Without
    successes, there is no upper end, and a success counts as free at the lower end.
    """
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
    """A draw of the mean cost: the mean of `costs` plus Student's t times its standard error, at least 0."""
    freedom = len(costs) - 1
    if not freedom:
        return costs[0]
    t = draws.gauss(0, 1) / math.sqrt(draws.gammavariate(freedom / 2, 2) / freedom)
    return max(0.0, mean(costs) + t * stdev(costs) / math.sqrt(len(costs)))


def best_of(times: Sequence[float]) -> list[Best]:
    """The expected best of k trials, for k from 1 to N, exactly over all C(N, k) draws without replacement. The time of
    rank i is the best in C(N - i, k - 1) draws; failures rank last."""
    ordered, total = sorted(times), len(times)
    successes = sum(math.isfinite(t) for t in ordered)
    found = []
    for k in range(1, total + 1):
        draws = math.comb(total, k)
        weights = [math.comb(total - i, k - 1) / draws for i in range(1, successes + 1)]
        hits = math.fsum(weights)
        mean = math.fsum(t * w for t, w in zip(ordered, weights, strict=False)) / hits if hits else None
        found.append(Best(k, min(1.0, hits), mean))
    return found


def share(successes: int, trials: int, pruned: int = 0) -> Estimate:
    """The share of the space that reaches the target, with Wilson's interval (1927).

    The interval is made for independent points; points of a sequence that fills the space evenly vary less. Whether
    `pruned` trials would have reached the target is unknown: the lower end counts them as failures, the upper as
    successes.
    """
    if pruned:
        return Estimate(successes / trials, share(successes, trials).low, share(successes + pruned, trials).high)
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    p, n = successes / trials, trials
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # Without successes the lower end is exactly 0, without failures the upper is exactly 1.
    low, high = (0.0 if successes == 0 else middle - half), (1.0 if successes == trials else middle + half)
    return Estimate(p, low, high)


def best_so_far(spans: Sequence[tuple[float, float, bool]]) -> list[tuple[float, float]]:
    """(cost, seconds) of each new best trial, in the order of their stops. The cost is the seconds of all trials that
    had stopped by then. `spans` are (stop, seconds, whether it reached the target) of each trial."""
    cost, best, found = 0.0, math.inf, []
    for _, seconds, reached in sorted(spans):
        cost += seconds
        if reached and seconds < best:
            best = seconds
            found.append((cost, best))
    return found


def critical_batch(points: Sequence[tuple[float, float]]) -> float | None:
    """The critical batch size B of samples(b) = least (1 + b / B) (McCandlish et al. 2018), at which twice the least
    samples are needed. It is fitted by least squares to (batch size, samples to the target). None below three batch
    sizes, and if the fitted line does not rise from a positive number."""
    if len({b for b, _ in points}) < 3:
        return None
    line = linear_regression(*zip(*points, strict=True))
    return line.intercept / line.slope if line.slope > 0 and line.intercept > 0 else None
