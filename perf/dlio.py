"""Run DLIO on the project's datasets, and compare it with the reference's input trial.

    python perf/dlio.py environment [--into build/dlio]
    python perf/dlio.py export --problem smoke --data data/smoke --out build/smoke [--from-log build/result_0.txt]
    python perf/dlio.py compare --problem smoke --data data/smoke --out build/smoke [--ranks 2] [--workers 1]

`environment` installs DLIO 2.0.0. `export` writes views of a dataset that DLIO can read, and prints the command that
runs DLIO on each. `compare` runs DLIO on both views and `io_trial.py` with --emulate sleep and spin, one after another,
with the same ranks, batch, readers and computation. The dataset's pages are dropped from the cache before each.
docs/io.md says what the numbers mean.
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from benchmark.log import Event, read_log
from benchmark.problem import load_problem
from benchmark.run.reader import drop_cached_pages
from benchmark.workload import AnyProblem, module_of
from implementations.pytorch_tools.input_trial.compute import compute_times
from perf.settings import reference_settings
from perf.storage.environment import FOLDER, make, python_of
from perf.storage.export import VIEWS, Settings, export, name_of, record_bytes
from perf.storage.sides import dlio_command, dlio_side, run_dlio, table, trial, trial_side


def settings_of(options: argparse.Namespace, problem: AnyProblem) -> Settings:
    """The settings of a rank: the problem's batch sizes and read-ahead, with computation as given or from a log."""
    config = reference_settings(problem.name)
    if config.batch_size % options.ranks:
        raise ValueError(f"--ranks: found {options.ranks}, wanted a divisor of the batch size {config.batch_size}")
    seconds, deviation, evaluation = options.compute_seconds or 0.0, 0.0, 0.0
    if options.from_log:
        times = compute_times(None, options.from_log)
        drawn = times.draw(0, 0, 10_000)
        seconds, deviation = float(np.mean(drawn)), float(np.std(drawn))
        evaluation = evaluation_seconds(options.from_log, problem, config.eval_batch_size)
    return Settings(
        config.batch_size // options.ranks,
        config.eval_batch_size,
        options.workers,
        config.prefetch,
        options.epochs,
        options.ranks,
        seconds,
        deviation,
        evaluation,
    )


def evaluation_seconds(log: Path, problem: AnyProblem, batch: int) -> float:
    """Seconds of an evaluation step: the median over the log's evaluations, 0 if it has none."""
    starts, stops = (
        [e.time_ms for e in read_log(log) if isinstance(e, Event) and e.key == key]
        for key in ("eval_start", "eval_stop")
    )
    steps = -(-problem.validation_samples // batch)
    return float(np.median([(b - a) / 1000 / steps for a, b in zip(starts, stops, strict=False)])) if stops else 0.0


def compare(options: argparse.Namespace, problem: AnyProblem, settings: Settings, views: list[str]) -> str:
    """Run all sides, and return the table."""
    python, sides = python_of(options.into), []
    first = module_of(problem).sample_path(options.data, problem, "train", problem.split_samples("train")[0])
    for view in views:
        cut = export(problem, options.data, options.out, view, settings)["train"]
        drop_cached_pages(options.data)
        folder = run_dlio(python, options.out, problem, view, settings.ranks)
        sides.append(dlio_side(folder, view, record_bytes(problem, first, view), cut))
    for emulate in ("sleep", "spin"):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "result_0.txt"
            trial(problem, options.data, log, settings, emulate)
            sides.append(trial_side(log, f"trial, {emulate}"))
    return table(sides)


def typed(options: argparse.Namespace, problem: AnyProblem, view: str) -> str:
    """The command that runs DLIO on a view, to be typed."""
    python = (options.into / "bin" / "python").absolute()
    variables, command = dlio_command(python, options.out, problem, view, options.ranks)
    return shlex.join(["env", *(f"{name}={value}" for name, value in variables.items()), *command])


def check_keys(options: argparse.Namespace, problem: AnyProblem, views: list[str]) -> None:
    """Let DLIO's own code read the YAML. Raises ValueError for a key that DLIO does not read."""
    paths = [str(options.out / "config" / "workload" / f"{name_of(problem, view)}.yaml") for view in views]
    command = [str(python_of(options.into)), str(Path(__file__).with_name("storage") / "keys.py"), *paths]
    if subprocess.run(command, check=False).returncode:
        raise ValueError("found keys that DLIO does not read, wanted none")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("environment", "export", "compare"))
    parser.add_argument("--into", type=Path, default=FOLDER, help="DLIO's environment (default: build/dlio)")
    parser.add_argument("--problem")
    parser.add_argument("--data", type=Path, help="the dataset")
    parser.add_argument("--out", type=Path, help="folder for views, workloads and DLIO's output")
    parser.add_argument("--views", nargs="+", choices=VIEWS, default=list(VIEWS))
    parser.add_argument("--workers", type=int, default=1, help="reader processes a rank, on both sides (default: 1)")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--ranks", type=int, default=1, help="of DLIO and of the trial (default: 1)")
    parser.add_argument("--compute-seconds", type=float, help="seconds of a step's computation")
    parser.add_argument("--from-log", type=Path, help="take them from the log of a run")
    options = parser.parse_args()
    try:
        if options.action == "environment":
            print(make(options.into))
            return 0
        if not (options.problem and options.data and options.out):
            raise ValueError("found no --problem, --data or --out, wanted all of them")
        problem = load_problem(options.problem)
        settings = settings_of(options, problem)
        if options.action == "compare":
            print(compare(options, problem, settings, options.views))
            return 0
        for view in options.views:
            cut = export(problem, options.data, options.out, view, settings)
            print(f"{view}: {options.out / view}; left out of train, validation: {cut['train']}, {cut['validation']}")
            print(typed(options, problem, view))
        if options.into.exists():
            check_keys(options, problem, options.views)
    except (OSError, ValueError) as error:
        print(f"dlio.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
