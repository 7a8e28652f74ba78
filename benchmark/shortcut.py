"""What a problem can be scored with by classifiers that see less than a network does.

    python benchmark/shortcut.py --problem smoke [--workers 2] [--samples 20]

One line each: name, validation score, processor seconds, and what it sees. Each workload has its own:
`benchmark/<workload>/shortcut.py`.
"""

import argparse
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.problem import load_problem


class Score(NamedTuple):
    """What one classifier reaches."""

    name: str
    value: float  # on the validation split
    seconds: float  # of a processor, without making the samples
    sees: str
    local: bool = True  # it sees no more than a voxel and some around it: the gap to the target counts it


def line(score: Score) -> str:
    """A classifier's line."""
    return f"  {score.name:10}  {score.value:6.4f}  {score.seconds:6.1f} s  {score.sees}"


def gap(scores: Iterable[Score], target: float, lower: bool) -> str:
    """The best of the classifiers that see little, against the target. `lower`: small scores are good ones."""
    best = (min if lower else max)((s for s in scores if s.local), key=lambda s: s.value)
    distance = best.value - target if lower else target - best.value
    return f"  gap to the target: {distance:.4f}, from {best.name} ({best.value:.4f}) to {target:g}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Score classifiers that see less than a network does.")
    parser.add_argument("--problem", required=True, help="a name in the problems.yaml of a workload")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--samples", type=int, help="of each split, at most: its first")
    options = parser.parse_args()
    try:
        if options.samples is not None and options.samples < 1:
            raise ValueError(f"--samples: found {options.samples}, wanted 1 or more")
        problem = load_problem(options.problem)
        module = import_module(f"benchmark.{problem.workload}.shortcut")
        scores = []
        for score in module.shortcuts(problem, options.workers, options.samples):
            if not scores:
                print(f"{options.problem}: validation {module.SCORE}, processor seconds, what it sees")
                print(f"  on {module.scope(problem, options.samples)}")
            scores.append(score)
            print(line(score), flush=True)
    except ValueError as error:
        print(f"shortcut.py: {error}", file=sys.stderr)
        sys.exit(2)
    print(gap(scores, problem.target, module.LOWER))


if __name__ == "__main__":
    main()
