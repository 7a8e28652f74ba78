"""How often the intervals of results/score.py and results/contrast.py hold what they should: seeded simulation.

    python perf/results_coverage.py [--sets 20000]

Populations like run times: normal, lognormal, and a whole number of epochs times nearly constant seconds. What an
interval of the figure of merit has to hold is the figure of merit's expected value at that n.
"""

import argparse
import sys
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from results.contrast import contrast
from results.score import median, trim_count, trimmed_mean

SIZES = (5, 10, 40)


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.normal(100, 8, shape)


def lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return 100 * rng.lognormal(0, 0.2, shape)


def epochs(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """12 to 40 epochs, mostly near 20, of 5 s with 1 % of noise, after 3 s of staging."""
    return 3 + (12 + rng.binomial(28, 0.3, shape)) * rng.normal(5, 0.05, shape)


POPULATIONS = {"normal": normal, "lognormal": lognormal, "integer epochs": epochs}


def coverage(draw, n: int, sets: int, seed: int = 1) -> tuple[float, float, float, float]:
    """The share of `sets` samples of size `n` whose interval holds the truth: of the figure of merit, of the median
    (with its own claimed level beside it), of the ratio of two equal populations."""
    rng = np.random.default_rng(seed)
    many = np.sort(draw(rng, (400_000 // n * 5, n)), axis=1)
    k = trim_count(n)
    truth, middle = many[:, k : n - k].mean(), float(np.median(draw(rng, (1, 2_000_001))))
    samples, others = draw(rng, (sets, n)).tolist(), draw(rng, (sets, n)).tolist()
    means = [trimmed_mean(s) for s in samples]
    medians = [median(s) for s in samples]
    pairs = [contrast(a, b) for a, b in zip(samples, others, strict=True)]
    return (
        float(np.mean([m.low <= truth <= m.high for m in means])),
        float(np.mean([m.low <= middle <= m.high for m in medians])),
        medians[0].level,
        float(np.mean([not p.distinguishable for p in pairs])),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=20_000)
    args = parser.parse_args()
    print(f"{'population':15} {'n':>3}  {'FOM':>6}  {'median':>6} (claims)  {'ratio':>6}")
    for name, draw in POPULATIONS.items():
        for n in SIZES:
            fom, mid, level, ratio = coverage(draw, n, args.sets)
            print(f"{name:15} {n:3}  {fom:6.1%}  {mid:6.1%} ({level:6.1%})  {ratio:6.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
