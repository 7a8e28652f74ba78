"""Measure the bands for re-evaluations of final weights, for `problems` in rules/<edition>/limits.yaml.

    python perf/reevaluation.py SUBMISSION...                        # `reevaluation`: run it on another kind of machine
    python perf/reevaluation.py SUBMISSION... --data-seeds 1 2 3     # `held_out`: each run on each seed's fresh data

The runs must be your own and honest. `reevaluation` is the largest difference found; if all numbers agree exactly,
there is no band to publish. `held_out` is the mean, the standard deviation and the number of the differences. Held-out
data are made in a temporary folder, or kept in --data. Each evaluation prints a line on stderr.
"""

import argparse
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from implementations.pytorch import reevaluate
from implementations.pytorch.auditing.outcome import gain
from implementations.pytorch.auditing.reevaluation import Apart, apart
from rules.edition import current, load

DIGITS = 3  # significant digits of printed numbers


def reevaluation_band(found: Sequence[Apart]) -> str:
    """The `reevaluation` line of limits.yaml, from the differences of one problem's runs."""
    if all(one.exact for one in found):
        return f"    # {len(found)} re-evaluations gave the logged numbers to the last digit: no band"
    counts, score = (_up(max(getattr(one, name) for one in found)) for name in ("counts", "score"))
    return f"    reevaluation: {{counts: {counts}, score: {score}}}  # largest of {len(found)}"


def held_out_band(gains: Sequence[float]) -> str:
    """The `held_out` line of limits.yaml, from two or more gains of one problem's runs."""
    mean, spread = statistics.fmean(gains), statistics.stdev(gains)
    return f"    held_out: {{mean: {mean:.{DIGITS}g}, spread: {_up(spread)}, runs: {len(gains)}}}"


def _up(number: float) -> str:
    """A number rounded up to DIGITS significant digits."""
    text = f"{number:.{DIGITS - 1}e}"
    if float(text) < number:
        mantissa, _, exponent = text.partition("e")
        text = f"{float(mantissa) + 10 ** (1 - DIGITS):.{DIGITS - 1}f}e{exponent}"
    return f"{float(text):g}"


def measure(options: argparse.Namespace, scratch: Path) -> dict[str, list]:
    """{problem: differences of all runs, or gains if there are data seeds}."""
    law, found = load(current()), defaultdict(list)
    for log in reevaluate.logs_of(options.paths):
        for seed in options.data_seeds or [None]:
            more = ["--device", options.device]
            more += ["--data-seed", str(seed)] if seed is not None else []
            more += ["--data", str(options.data)] if options.data else []
            more += ["--problems", str(options.problems)] if options.problems else []
            run, score = reevaluate.evaluate(log, reevaluate.parse([str(log), *more]), law, scratch)
            logged = run.epochs[-1]
            if seed is None:
                found[run.problem].append(apart(logged, score))
            else:
                lower = law.benchmarks[run.benchmark].lower
                found[run.problem].append(gain(logged.score, score.value, lower))
            print(f"{log}: seed {seed}: {found[run.problem][-1]}", file=sys.stderr, flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="SUBMISSION", help="submissions, sets or logs")
    parser.add_argument("--data-seeds", type=int, nargs="+", help="measure on fresh data of each of these seeds")
    parser.add_argument("--data", type=Path, help="folder of the data, made if absent")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="held-out-") as scratch:
            found = measure(options, Path(scratch))
    except (ValueError, OSError, reevaluate.WrongData) as error:
        print(f"reevaluation.py: {error}", file=sys.stderr)
        return 2
    for problem, values in found.items():
        if options.data_seeds and len(values) < 2:
            print(f"reevaluation.py: {problem}: found 1 evaluation, wanted 2 or more", file=sys.stderr)
            return 2
        print(f"  {problem}:")
        print(held_out_band(values) if options.data_seeds else reevaluation_band(values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
