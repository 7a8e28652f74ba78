"""Measure the bands for re-evaluations of final weights, for `problems` in rules/<edition>/limits.yaml.

    python perf/reevaluation.py SUBMISSION...                        # `reevaluation`: in ways of other machines
    python perf/reevaluation.py SUBMISSION... --data-seeds 1 2 3     # `held_out`: each run on each seed's fresh data

The runs must be your own and honest; those of several implementations give a band for all. Each run's weights are
evaluated as a run does, and in ways that another machine may use: other kernels, threads, batches, precision.
`reevaluation` is twice the largest difference from the log. The line above it shows how near the weights of other runs
of the same problem come, which no honest submission has.

`held_out` is the mean, the standard deviation and the number of the differences. Held-out data are made in a temporary
folder, or kept in --data. Each evaluation prints a line on stderr.
"""

import argparse
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch

from benchmark.run.errors import WrongData
from harness.auditing.logged import LoggedRun
from implementations.pytorch.task import Evaluation
from implementations.pytorch_tools import reevaluate
from implementations.pytorch_tools.outcome import gain
from implementations.pytorch_tools.reevaluation import Apart, apart
from rules.current import EDITION
from rules.edition import load

DIGITS = 3  # significant digits of printed numbers
MARGIN = 2.0  # width of a band, in multiples of the largest honest difference
WAYS = ("", "threads=1", "compile=false", "eval_batch_size=3", "precision=bfloat16", "precision=float32")


def reevaluation_band(found: Sequence[Apart]) -> str:
    """The `reevaluation` line of limits.yaml, from the differences of one problem's runs."""
    if all(one.exact for one in found):
        return f"    # {len(found)} re-evaluations gave the logged numbers to the last digit: no band"
    counts, score = (_up(MARGIN * max(getattr(one, name) for one in found)) for name in ("counts", "score"))
    return f"    reevaluation: {{counts: {counts}, score: {score}}}  # twice the largest of {len(found)}"


def held_out_band(gains: Sequence[float]) -> str:
    """The `held_out` line of limits.yaml, from two or more gains of one problem's runs."""
    mean, spread = statistics.fmean(gains), statistics.stdev(gains)
    return f"    held_out: {{mean: {mean:.{DIGITS}g}, spread: {_up(spread)}, runs: {len(gains)}}}"


def _up(number: float) -> str:
    """A number rounded up to DIGITS significant digits."""
    return f"{float(Context(prec=DIGITS, rounding=ROUND_CEILING).create_decimal(repr(number))):g}"


def evaluated(log: Path, options: argparse.Namespace, scratch: Path, *more: str) -> tuple[LoggedRun, Evaluation]:
    """The run of a log, and its weights evaluated with these options of reevaluate.py."""
    more = (*more, "--device", options.device)
    more += ("--data", str(options.data)) if options.data else ()
    more += ("--problems", str(options.problems)) if options.problems else ()
    return reevaluate.evaluate(log, reevaluate.parse([str(log), *more]), load(EDITION), scratch)


def measure_bands(options: argparse.Namespace, scratch: Path) -> None:
    """Print `reevaluation` of each problem, and how near other runs come."""
    found: dict[str, list[Apart]] = defaultdict(list)
    results: dict[str, list[tuple[LoggedRun, Evaluation]]] = defaultdict(list)
    for log in reevaluate.logs_of(options.paths):
        for way in WAYS:
            torch.compiler.reset()  # each way compiles its own kernels
            run, again = evaluated(log, options, scratch, *(["--setting", way] if way else []))
            found[run.problem].append(apart(run.epochs[-1], again))
            print(f"{log}: {way or 'as a run does'}: {found[run.problem][-1]}", file=sys.stderr, flush=True)
            if not way:
                results[run.problem].append((run, again))
    for problem, each in found.items():
        print(f"  {problem}:")
        others = [apart(a.epochs[-1], e) for a, _ in results[problem] for b, e in results[problem] if a is not b]
        if others:
            near = (min(one.counts for one in others), min(one.score for one in others))
            print(f"    # weights of other runs, least: {near[0]:.3%}, {near[1]:.6f}")
        print(reevaluation_band(each))


def measure_held_out(options: argparse.Namespace, scratch: Path) -> None:
    """Print `held_out` of each problem. Raises ValueError where there is only one evaluation."""
    gains = defaultdict(list)
    for log in reevaluate.logs_of(options.paths):
        for seed in options.data_seeds:
            run, found = evaluated(log, options, scratch, "--data-seed", str(seed))
            lower = load(EDITION).benchmarks[run.benchmark].lower
            gains[run.problem].append(gain(run.epochs[-1].score, found.value, lower))
            print(f"{log}: seed {seed}: {gains[run.problem][-1]}", file=sys.stderr, flush=True)
    for problem, values in gains.items():
        if len(values) < 2:
            raise ValueError(f"{problem}: found 1 evaluation, wanted 2 or more")
        print(f"  {problem}:\n{held_out_band(values)}")


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
            (measure_held_out if options.data_seeds else measure_bands)(options, Path(scratch))
    except (ValueError, OSError, WrongData) as error:
        print(f"reevaluation.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
