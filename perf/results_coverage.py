"""Simulate the coverage of the intervals of results/statistics/score.py and contrast.py, with fixed seeds.

    python perf/results_coverage.py [--sets 20000]

The populations resemble run times: normal, lognormal, and a whole number of epochs times the seconds of one, exactly or
nearly constant. The interval of a figure of merit should hold the population's mean without the share k/n at each end.
The table also says how often it holds the expected value of the figure of merit at that n, which differs for a skewed
population.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from perf.rank_errors import STEP, epochs, two
from results.statistics.contrast import contrast
from results.statistics.score import median, trimmed_mean
from rules.merit import trim_count

SIZES = (5, 10, 40)


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.normal(100, 8, shape)


def lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return 100 * rng.lognormal(0, 0.2, shape)


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return 100 * rng.lognormal(0, 0.5, shape)


def exact(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """12 to 40 epochs, mostly near 20, of 5 s, after 3 s of staging."""
    return 3 + (12 + rng.binomial(28, 0.3, shape)) * 5.0


def few(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """9, 10 or 11 epochs, with probability 1/4, 1/2 and 1/4, of 5 s with 1 % of noise."""
    return 3 + (9 + rng.binomial(2, 0.5, shape)) * rng.normal(STEP, 0.05, shape)


POPULATIONS = {  # name: (population, seconds between evaluations)
    "normal": (normal, 0.0),
    "lognormal 0.2": (lognormal, 0.0),
    "lognormal 0.5": (skewed, 0.0),
    "epochs, exact": (exact, 0.0),  # the step follows from equal times
    "epochs, noisy": (epochs, STEP),
    "9 to 11 epochs": (few, STEP),
    "9 or 10 epochs": (two, STEP),
}


def coverage(draw: Callable, step: float, n: int, sets: int, seed: int = 1) -> tuple[float, ...]:
    """Shares of `sets` samples of size `n`: whose interval of the figure of merit holds the population's trimmed mean;
    the figure's expected value; whose interval of the median holds the median; the level that it claims; whose interval
    of the ratio of two equal populations holds 1."""
    rng = np.random.default_rng(seed)
    k = trim_count(n)
    population = np.sort(draw(rng, (1, 2_000_001))[0])
    cut = round(k / n * len(population))
    truth, middle = population[cut : len(population) - cut].mean(), float(np.median(population))
    expected = np.sort(draw(rng, (400_000 // n * 5, n)), axis=1)[:, k : n - k].mean()
    samples, others = draw(rng, (sets, n)).tolist(), draw(rng, (sets, n)).tolist()
    means = [trimmed_mean(s, step) for s in samples]
    medians = [median(s) for s in samples]
    pairs = [contrast(a, b, (step, step)) for a, b in zip(samples, others, strict=True)]
    slack = 1e-9 * truth  # for rounding
    return (
        share(m.low - slack <= truth <= m.high + slack for m in means),
        share(m.low - slack <= expected <= m.high + slack for m in means),
        share(m.low <= middle <= m.high for m in medians),
        medians[0].level,
        share(not p.distinguishable for p in pairs),
    )


def share(held: Iterable[bool]) -> float:
    """The share of True."""
    return float(np.mean(list(held)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=20_000)
    args = parser.parse_args()
    print(f"{'population':15} {'n':>3}  {'FOM':>6} {'E(FOM)':>7}  {'median':>6} (claims)  {'ratio':>6}")
    for name, (draw, step) in POPULATIONS.items():
        for n in SIZES:
            fom, expected, mid, level, ratio = coverage(draw, step, n, args.sets)
            print(f"{name:15} {n:3}  {fom:6.1%} {expected:7.1%}  {mid:6.1%} ({level:6.1%})  {ratio:6.1%}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
