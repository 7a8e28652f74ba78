"""Simulate errors of rank ranges, the smallest difference they show, and the coverage of intervals with slow runs.

    python perf/rank_errors.py [--groups 4000]

The command prints three tables, with fixed seeds. Errors: the share of groups of 2 to 40 equally fast systems in which
any two are told apart: with each pair tested by itself (before), with Holm's correction (holm), and by the procedure of
results/statistics/ranks.py, which also tells apart what its own runs separate (after); "twos" are groups in which only
pairs of systems are equally fast, by that procedure. Power: how much slower a system must be to
be told apart in 80 % of comparisons, between two systems and among eight. Slow runs: how often the interval of a figure
of merit holds the true values if one run in ten takes twice as long.
"""

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
from scipy.special import stdtrit

from results.statistics.contrast import ERROR
from results.statistics.ranks import holm, p_values
from results.statistics.score import LEVEL
from rules.merit import trim_count

SYSTEMS = (2, 4, 8, 20, 40)
RUNG = 0.05  # how much slower each pair of systems is than the pair before
AT_ONCE = 1 << 20  # numbers drawn at once
STEP = 5.0  # seconds between evaluations, in populations of whole epochs
Draw = Callable[[np.random.Generator, tuple[int, int, int]], np.ndarray]


def even(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Lognormal, 10 % for every system."""
    return 100 * rng.lognormal(0, 0.1, shape)


def uneven(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Lognormal, 3 % and 15 % in turn."""
    sigma = np.where(np.arange(shape[1]) % 2, 0.15, 0.03)[None, :, None]
    return 100 * np.exp(sigma * rng.standard_normal(shape))


def epochs(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """12 to 40 epochs, mostly near 20, of 5 s with 1 % of noise, after 3 s of staging."""
    return 3 + (12 + rng.binomial(28, 0.3, shape)) * rng.normal(STEP, 0.05, shape)


def two(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """9 or 10 epochs of 5 s with 1 % of noise, after 3 s of staging."""
    return 3 + (9 + rng.binomial(1, 0.5, shape)) * rng.normal(STEP, 0.05, shape)


def slow(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Lognormal, 5 %; one run in ten takes twice as long."""
    return 100 * rng.lognormal(0, 0.05, shape) * (1 + (rng.random(shape) < 0.1))


POPULATIONS: dict[str, tuple[Draw, float]] = {
    "lognormal 10 %": (even, 0.0),
    "3 % and 15 %": (uneven, 0.0),
    "12 to 40 epochs": (epochs, STEP),
    "9 or 10 epochs": (two, STEP),
    "one in ten slow": (slow, 0.0),
}


def log_means(times: np.ndarray, step: float = 0.0, share: float = 1 / 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`mean`, `d` and `h` of `results.statistics.contrast.log_mean` over the last axis, for times without ties. The
    standard deviation is at least this `share` of a step."""
    ordered = np.sort(times, axis=-1)
    relative = step / ordered[..., ordered.shape[-1] // 2]
    mean, squares, h = trimmed(np.log(ordered))
    floor = (ordered.shape[-1] - 1) * (relative * share) ** 2
    return mean, np.maximum(squares, floor) / (h * (h - 1)), np.full(mean.shape, h)


def trimmed(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """(mean without the k extremes at each end, sum of squares of the winsorized values, number of values kept)."""
    n = ordered.shape[-1]
    k = trim_count(n)
    kept = ordered[..., k : n - k]
    winsorized = np.clip(ordered, kept[..., :1], kept[..., -1:])
    return kept.mean(-1), winsorized.var(-1) * n, n - 2 * k


def errors(
    draw: Draw, step: float, systems: int, n: int, groups: int, rung: float = 0.0, seed: int = 1
) -> tuple[float, float, float]:
    """The share of groups with a wrong statement about any pair: that equal systems differ, or that the slower one is
    faster. Systems come in equal pairs, each slower by the share `rung` than the pair before. Returned are the share
    with each pair tested by itself (at 5 %, with a deviation of at least a sixth of a step), with Holm's correction,
    and by `results.statistics.ranks`."""
    rng = np.random.default_rng(seed)
    factor = (1 + rung) ** (np.arange(systems) // 2)
    first, second = np.triu_indices(systems, 1)
    truth = np.sign(factor[first] - factor[second])
    before = corrected = after = done = 0
    while done < groups:
        some = min(groups - done, max(1, AT_ONCE // (systems * max(n, systems))))
        times = draw(rng, (some, systems, n)) * factor[:, None]
        mean, d, h = log_means(times, step)
        wrong = np.sign(mean[:, first] - mean[:, second]) != truth
        alone = p_values(*log_means(times, step, 1 / 6)) <= 1 - LEVEL
        before += int((wrong & alone).any(-1).sum())
        told = holm(p_values(mean, d, h))
        fastest, slowest = times.min(-1), times.max(-1)
        apart = (fastest[:, first] > slowest[:, second]) | (fastest[:, second] > slowest[:, first])
        corrected += int((wrong & told).any(-1).sum())
        after += int((wrong & (told | apart)).any(-1).sum())
        done += some
    return before / groups, corrected / groups, after / groups


def smallest(n: int, variation: float, pairs: int, sets: int, seed: int = 1) -> float:
    """How much longer, as a share, one of two systems must take to be told apart in 80 % of comparisons, with the
    correction for `pairs` pairs. `variation` is the coefficient of variation of both."""
    rng = np.random.default_rng(seed)
    sigma = math.sqrt(math.log1p(variation**2))
    mean, d, h = log_means(np.exp(sigma * rng.standard_normal((2, sets, n))))
    squared = d.sum(0)
    degrees = squared**2 / (d**2 / (h - 1)).sum(0)
    needed = stdtrit(degrees, 1 - ERROR / 2 / pairs) * np.sqrt(squared) - (mean[0] - mean[1])
    return float(np.expm1(np.quantile(needed, 0.8)))


def held(n: int, sets: int, seed: int = 1) -> tuple[float, float, float]:
    """The shares of sets of n runs, one in ten of them slow, whose interval of the figure of merit holds: the
    population's trimmed mean; the expected value of the figure of merit; the mean of all runs."""
    rng = np.random.default_rng(seed)
    k = trim_count(n)
    population = np.sort(slow(rng, (1, 1, 2_000_000))[0, 0])
    cut = round(k / n * len(population))
    mean, squares, h = trimmed(np.sort(slow(rng, (sets, 1, n))[:, 0], axis=-1))
    truths = (population[cut : len(population) - cut].mean(), mean.mean(), population.mean())
    half = stdtrit(h - 1, (1 + LEVEL) / 2) * np.sqrt(squares / (h * (h - 1)))
    return tuple(float((np.abs(mean - truth) <= half).mean()) for truth in truths)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--groups", type=int, default=4000, help="groups of systems for a row of the first table")
    args = parser.parse_args(argv)
    print(f"errors: something wrong is said; {args.groups} groups, of equal systems, and of twos {RUNG:.0%} apart")
    print(f"{'':16} {'systems':>7}  before    holm   after   twos")
    for name, (draw, step) in POPULATIONS.items():
        for n in (5, 10):
            for systems in SYSTEMS:
                equal = errors(draw, step, systems, n, args.groups)
                twos = errors(draw, step, systems, n, args.groups, RUNG)[-1]
                print(f"{name:16} n = {n:<3} {systems:>2} ", *(f"{x:7.1%}" for x in (*equal, twos)), flush=True)
    print("power: told apart in 80 % of comparisons if the slower takes so much longer")
    for systems in (2, 8):
        for n in (5, 10, 20):
            found = [smallest(n, cv, systems * (systems - 1) // 2, 20_000) for cv in (0.05, 0.1, 0.2)]
            print(f"{systems} systems, n = {n:<3} CV 5, 10, 20 %:" + "".join(f" {x:7.1%}" for x in found), flush=True)
    print("slow runs: the interval holds the population's trimmed mean, the expected FOM, the mean of all runs")
    for n in (5, 10, 20):
        print(f"n = {n:<3}" + "".join(f" {x:6.1%}" for x in held(n, 20_000)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
