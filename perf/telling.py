"""What few runs can tell: power of the time to target and of the expected time; false alarms and power of the rules.

    python perf/telling.py [--sets 2000]

The runs are drawn, with replacement, from those in docs/convergence.yaml; an epoch's seconds vary from run to run by a
normal distribution. The command prints two tables, of which docs/convergence.md has what matters. It takes a minute,
with fixed seeds.

Power: how often five runs each of two systems, the second of which is slower by 0 to 20 %, are told apart. Points: how
often a set of five runs is below what the reference's points allow, by the test of rules/fewest.py: at the chance of
RUN23, at that of RUN22, and as MLPerf's checker does it.
"""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from perf.curves.runs import Series, read
from perf.pages.generated import table
from perf.script import script, want
from results.statistics.contrast import contrast
from results.statistics.expected import Expected, ratio
from results.statistics.factors import squared_error
from results.statistics.student import Part
from rules.current import current
from rules.edition import load
from rules.fewest import RUNS, allowed, average
from rules.reference import ReferencePoint

DOCS = Path(__file__).resolve().parents[1] / "docs"
FIVE = 5  # runs of a set
SLOWER = (0.0, 0.05, 0.1, 0.2)
SPEEDS = (0.01, 0.05)  # coefficients of variation of an epoch's seconds between runs
LEAST = 8  # runs of a series to draw from
OURS = load(current()).limits.convergence
MLPERFS = load("mlperf-hpc-v3.0").limits.convergence
TESTS = (  # of points: whether epochs are whole, at which chance, and whether means are olympic
    (False, OURS.chance, OURS.olympic),
    (False, OURS.surprise, OURS.olympic),
    (True, MLPERFS.chance, MLPERFS.olympic),
)
Draw = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def told_apart(crossings: np.ndarray, slower: float, noise: float, sets: int) -> tuple[float, float]:
    """The shares of pairs of systems that the time to target and the expected time tell apart."""
    rng, times, expected = np.random.default_rng(1), 0, 0
    for _ in range(sets):
        epochs = np.ceil(rng.choice(crossings, (2, FIVE)))
        seconds = rng.normal(1, noise, (2, FIVE)) * np.array([[1.0], [1 + slower]])
        a, b = (epochs * seconds).tolist()
        times += bool(contrast(a, b, (1.0, 1.0 + slower)).distinguishable)
        found = ratio(*(machine(each) for each in seconds.tolist()))
        expected += found.low is not None and found.high is not None and not found.low <= 1 <= found.high
    return times / sets, expected / sets


def machine(seconds: Sequence[float]) -> Expected:
    """The expected time of a system whose runs took so many seconds for one and the same number of samples."""
    mean = math.fsum(seconds) / len(seconds)
    return Expected(mean, 1.0, (1,), Part(squared_error([s / mean - 1 for s in seconds]), len(seconds) - 1), ())


SETS: dict[str, Draw] = {
    "honest": lambda rng, crossings: rng.choice(crossings, FIVE),
    "hides the slower half of ten runs": lambda rng, crossings: np.sort(rng.choice(crossings, 2 * FIVE))[:FIVE],
    "converges 15 % faster": lambda rng, crossings: 0.85 * rng.choice(crossings, FIVE),
    "converges 25 % faster": lambda rng, crossings: 0.75 * rng.choice(crossings, FIVE),
    "converges 25 % faster, one run slowed down": lambda rng, crossings: np.append(
        0.75 * rng.choice(crossings, FIVE - 1), 2 * crossings.mean()
    ),
    "has an epoch cut out of each run": lambda rng, crossings: rng.choice(crossings, FIVE) - 1,
}


def below(crossings: np.ndarray, draw: Draw, sets: int, redrawn: bool = False) -> tuple[float, float, float]:
    """The shares of sets that are below what points allow: by RUN23, by RUN22, and by MLPerf's test. With `redrawn`,
    each set has points of its own, drawn as many as there are."""
    rng, found = np.random.default_rng(2), np.zeros(3)
    for _ in range(sets):
        drawn = rng.choice(crossings, len(crossings)) if redrawn else crossings
        own = draw(rng, crossings)
        for i, (whole, chance, olympic) in enumerate(TESTS):
            known, mine = (np.ceil(drawn), np.ceil(own)) if whole else (drawn, own)
            point = {1: ReferencePoint(1, tuple(known.tolist()))}
            allows = allowed(point, 1, FIVE, FIVE, chance, olympic)
            found[i] += allows is not None and average(mine.tolist(), olympic, allows.geometric) < allows.least
    return tuple((found / sets).tolist())


def power_table(series: Sequence[Series], sets: int) -> str:
    """The table of power, as Markdown."""
    slower = [f"{100 * share:.0f} % slower" for share in SLOWER]
    rows = []
    for one in series:
        for noise in SPEEDS:
            shares = [told_apart(np.array(one.crossings), share, noise, sets) for share in SLOWER]
            for measure, column in zip(("time to target", "expected time"), zip(*shares, strict=True), strict=True):
                rows.append([named(one), percent(one.variation or 0), percent(noise), measure, *map(percent, column)])
    return table(["runs of", "CV of epochs", "CV of speed", "measure", *slower], rows)


def points_table(series: Sequence[Series], sets: int) -> str:
    """The table of the points' false alarms and power, as Markdown."""
    head = ["points of", "the set", "RUN23, 1 in 1000", "RUN22, 1 in 20", "MLPerf's test, 1 in 20"]
    rows = []
    for one in series:
        if len(one.crossings) < RUNS * FIVE:
            continue
        crossings = np.array(one.crossings)
        rows.append(
            [named(one), "honest, points drawn anew", *map(percent, below(crossings, SETS["honest"], sets, True))]
        )
        rows += [[named(one), name, *map(percent, below(crossings, draw, sets))] for name, draw in SETS.items()]
    return table(head, rows)


def named(one: Series) -> str:
    """A series in words."""
    return f"{one.problem}, batch {one.batch}, {len(one.crossings)} runs"


def percent(share: float) -> str:
    """A share in percent; no more digits than draws show."""
    return f"{100 * share:.1f} %"


@script
def main(arguments: Sequence[str] | None) -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=2000, help="sets, or pairs of them, for each share")
    args = parser.parse_args(arguments)
    want(1, sets=args.sets)
    series = [one for one in read(DOCS / "convergence.yaml") if one.published and len(one.crossings) >= LEAST]
    print(power_table(series, args.sets), "", points_table(series, args.sets), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
