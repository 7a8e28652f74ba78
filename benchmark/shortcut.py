"""Score classifiers that see less than the network does: how far can a problem be solved without looking at shape?

    python benchmark/shortcut.py --problem smoke [--workers 2] [--samples 20]

It prints a line for each classifier: name, validation score, processor seconds, and what it sees. Each workload has
its own classifiers in `benchmark/<workload>/shortcut.py`.
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
from benchmark.problem import SPLITS, load_problem
from benchmark.workload import AnyProblem


class Score(NamedTuple):
    """The score of one classifier."""

    name: str
    value: float  # on the validation split
    seconds: float  # of a processor, without making the samples
    sees: str
    local: bool = True  # it sees no more than a box around a voxel, so the gap to the target counts it


def first_samples(problem: AnyProblem, samples: int | None) -> dict[str, list[int]]:
    """Return the sample ids of each split, or its first `samples` of them."""
    return {split: list(problem.split_samples(split))[:samples] for split in SPLITS}


def line(score: Score) -> str:
    """Return a classifier's line."""
    return f"  {score.name:10}  {score.value:6.4f}  {score.seconds:6.1f} s  {score.sees}"


def gap(scores: Iterable[Score], target: float, lower: bool) -> str:
    """Return the line that compares the best local classifier with the target. `lower`: a lower score is better."""
    best = (min if lower else max)((s for s in scores if s.local), key=lambda s: s.value)
    distance = best.value - target if lower else target - best.value
    if distance <= 0:
        return f"  no gap to the target: {best.name} ({best.value:.4f}) reaches {target:g}"
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
        scores: list[Score] = []
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
