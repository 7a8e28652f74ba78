"""Simulate the coverage of the intervals of results/tuning/estimators.py, with fixed seeds.

    python perf/tuning_coverage.py [--campaigns 1000]

Each trial of a campaign reaches the target with a given chance after lognormal seconds, or else costs its budget. The
true values are therefore known: the expected running time is the mean cost over the chance.
"""

import argparse
import math
import random
import sys
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from results.tuning import estimators as e

BUDGET, SIGMA = 100.0, 0.4  # seconds; spread of the logarithm of a success's seconds, whose median is 40
CASES = ((16, 0.25), (16, 0.5), (16, 0.9), (64, 0.25), (64, 0.5))  # trials, chance


def campaign(draws: random.Random, trials: int, chance: float) -> tuple[list[float], list[bool]]:
    """(costs of trials in seconds, whether each reached the target)."""
    reached = [draws.random() < chance for _ in range(trials)]
    costs = [min(BUDGET, 40 * draws.lognormvariate(0, SIGMA)) if hit else BUDGET for hit in reached]
    return costs, reached


def expected(chance: float) -> float:
    """The true expected running time: the mean cost over the chance, with the mean cost of a success by simulation."""
    draws = random.Random(0)
    mean = math.fsum(min(BUDGET, 40 * draws.lognormvariate(0, SIGMA)) for _ in range(200_000)) / 200_000
    return (chance * mean + (1 - chance) * BUDGET) / chance


def coverage(trials: int, chance: float, campaigns: int) -> tuple[float, float, float]:
    """Shares of campaigns: whose interval of the running time holds the true one, whose interval is finite, and whose
    interval of the share of the space holds the chance."""
    draws, wanted = random.Random(trials), expected(chance)
    holds = ended = shares = 0
    for _ in range(campaigns):
        costs, reached = campaign(draws, trials, chance)
        found, part = e.running_time_interval(costs, reached), e.share(sum(reached), trials)
        holds += found.low <= wanted <= found.high
        ended += math.isfinite(found.high)
        shares += part.low <= chance <= part.high
    return holds / campaigns, ended / campaigns, shares / campaigns


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--campaigns", type=int, default=1000)
    args = parser.parse_args()
    print("| trials | chance | running time held | has an end | share held |\n|---|---|---|---|---|")
    for trials, chance in CASES:
        holds, ended, shares = coverage(trials, chance, args.campaigns)
        print(f"| {trials} | {chance:g} | {100 * holds:.1f} % | {100 * ended:.1f} % | {100 * shares:.1f} % |")


if __name__ == "__main__":
    main()
