"""What a problem can be scored with by classifiers that never look at structure.

    python benchmark/shortcut.py --problem smoke [--workers 2]

Each workload has its own: `benchmark/<workload>/shortcut.py`.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.problem import load_problem


def main() -> None:
    parser = argparse.ArgumentParser(description="Score classifiers that don't look at shape.")
    parser.add_argument("--problem", required=True, help="a name in the problems.yaml of a workload")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = parser.parse_args()
    try:
        problem = load_problem(options.problem)
        module = import_module(f"benchmark.{problem.workload}.shortcut")
        scores = module.shortcuts(problem, options.workers)
    except ValueError as error:
        print(f"shortcut.py: {error}", file=sys.stderr)
        sys.exit(2)
    for kind, value in scores.items():
        print(f"{options.problem} {kind}: validation {module.SCORE} {value:.4f}, the target is {problem.target:g}")


if __name__ == "__main__":
    main()
