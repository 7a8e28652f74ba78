"""Measure the bands for re-evaluations of final weights, for `problems` in rules/<edition>/limits.yaml.

    python perf/reevaluation.py SUBMISSION...                        # `reevaluation`: in ways of other machines
    python perf/reevaluation.py SUBMISSION... --data-seeds 1 2 3     # `held_out`: each run on each seed's fresh data

The runs must be your own and honest; those of several implementations give a band for all. Each run's weights are
evaluated as a run does, and in ways that another machine may use: other kernels, threads, batches, precision; those of
ScaFFold also by implementations/minimal, whose network, memory layout and kernels are others.
For each way a line says how far the results are from the log, and how many are equal to it. `reevaluation` is twice the
largest difference. Below, the weights of other runs of the same set show how near results are that no honest submission
has.

`held_out` is the mean, the standard deviation and the number of the differences. Held-out data are made in a temporary
folder, or kept in --data. Each evaluation prints a line on stderr.
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

import torch
from safetensors.torch import load_file

from benchmark.metric import dice
from benchmark.problem import load_problem
from benchmark.run.errors import WrongData
from benchmark.run.files import weights_path
from benchmark.run.reader import Reader
from benchmark.source import ROOT
from harness.auditing.logged import LoggedRun
from harness.auditing.settings import PRECISIONS
from implementations.minimal import train as minimal
from implementations.pytorch.task import Evaluation
from implementations.pytorch_tools import reevaluate
from implementations.pytorch_tools.outcome import gain
from implementations.pytorch_tools.reevaluation import Apart, apart
from rules.current import EDITION
from rules.edition import load

DIGITS = 3  # significant digits of printed numbers
MARGIN = 2.0  # width of a band, in multiples of the largest honest difference
WAYS = {  # name: settings of the reference
    "as a run does": (),
    "one thread": ("threads=1",),
    "kernels not compiled": ("compile=false",),
    "other batches": ("eval_batch_size=3",),
    "bfloat16": ("precision=bfloat16",),
    "float32": ("precision=float32",),
    "no oneDNN": ("precision=float32", "compile=false"),
}


def reevaluation_band(found: Sequence[Apart]) -> str:
    """The `reevaluation` line of limits.yaml, from the differences of one problem's runs."""
    if all(one.exact for one in found):
        return f"    # {len(found)} re-evaluations gave the logged numbers to the last digit: no band"
    counts, score = (_up(MARGIN * max(getattr(one, name) for one in found)) for name in ("counts", "score"))
    return f"    reevaluation: {{counts: {counts}, score: {score}}}  # twice the largest of {len(found)}"


def line(name: str, found: Sequence[Apart]) -> str:
    """A line of the table: the median and largest difference of a count, and of the score, and how many are equal."""
    counts, score = [one.counts for one in found], [one.score for one in found]
    cells = f"{statistics.median(counts):8.3%} {max(counts):8.3%}  {statistics.median(score):9.6f} {max(score):9.6f}"
    return f"# {name:22} {cells}  {sum(one.exact for one in found)} of {len(found)} equal"


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


def evaluated(log: Path, options: argparse.Namespace, scratch: Path, *more: str) -> tuple[LoggedRun, Evaluation]:
    """The run of a log, and its weights evaluated with these options of reevaluate.py."""
    more = (*more, "--device", options.device)
    more += ("--data", str(options.data)) if options.data else ()
    more += ("--problems", str(options.problems)) if options.problems else ()
    return reevaluate.evaluate(log, reevaluate.parse([str(log), *more]), load(EDITION), scratch)


def by_minimal(run: LoggedRun, options: argparse.Namespace, precision: str) -> Evaluation:
    """The evaluation of a run's weights by implementations/minimal."""
    problem = load_problem(run.problem, options.problems)
    config = minimal.Config(precision=precision, device="cpu" if options.device == "auto" else options.device)
    training = minimal.Training(problem, config, seed=0)
    training.average.load_state_dict(load_file(weights_path(run.path)))
    counts = training.evaluate(Reader(options.data or ROOT / "data" / run.problem, problem))
    return Evaluation(dice(counts), {name: list(numbers) for name, numbers in vars(counts).items()})


def measure_bands(options: argparse.Namespace, scratch: Path) -> None:
    """Print `reevaluation` of each problem, and what it follows from."""
    ways: dict[str, dict[str, list[Apart]]] = defaultdict(lambda: defaultdict(list))
    results: dict[str, list[tuple[LoggedRun, Evaluation]]] = defaultdict(list)
    for log in reevaluate.logs_of(options.paths):
        for way, settings in WAYS.items():
            torch.compiler.reset()  # each way compiles its own kernels
            given = [part for setting in settings for part in ("--setting", setting)]
            with torch.backends.mkldnn.flags(enabled=way != "no oneDNN"):
                run, found = evaluated(log, options, scratch, *given)
            ways[run.problem][way].append(apart(run.epochs[-1], found))
            print(f"{log}: {way}: {ways[run.problem][way][-1]}", file=sys.stderr, flush=True)
            if not settings:
                results[run.problem].append((run, found))
        for precision in PRECISIONS if run.benchmark == "scaffold" else ():
            found = by_minimal(run, options, precision)
            ways[run.problem][f"minimal, {precision}"].append(apart(run.epochs[-1], found))
            print(f"{log}: minimal, {precision}: {apart(run.epochs[-1], found)}", file=sys.stderr, flush=True)
    for problem, found in ways.items():
        print(f"  {problem}:\n    # of a count: median, largest; of the score: median, largest")
        for way, each in found.items():
            print(f"    {line(way, each)}")
        others = [apart(a.epochs[-1], e) for a, _ in results[problem] for b, e in results[problem] if a is not b]
        if others:
            print(f"    {line('weights of other runs', others)}")
            near = (min(one.counts for one in others), min(one.score for one in others))
            print(f"    # weights of other runs, least: {near[0]:.3%}, {near[1]:.6f}")
        print(reevaluation_band([one for each in found.values() for one in each]))


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
