"""Export the project's datasets for DLIO 2.0.0, which `make dlio` installs.

    python perf/dlio.py --problem smoke --data data/smoke --out build/smoke [--from-log build/result_0.txt]

It writes links to a dataset that DLIO can read, and prints the command that runs DLIO. docs/io.md says what the numbers
mean.
"""

import argparse
import shlex
import sys
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from benchmark.log import Event, read_log
from benchmark.problem import load_problem
from benchmark.source import ROOT
from benchmark.workload import AnyProblem
from implementations.pytorch_tools.input_trial.compute import compute_times
from perf.settings import reference_settings
from perf.storage.export import Settings, export, name_of

ENVIRONMENT = Path("build/dlio")


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


def typed(options: argparse.Namespace, problem: AnyProblem) -> str:
    """The command that runs DLIO, to be typed; at several ranks by MPI."""
    programs, out = (options.into / "bin").absolute(), options.out
    command = [str(programs / "python"), str(ROOT / "perf" / "storage" / "launch.py")]
    command += [f"workload={name_of(problem)}", f"hydra.run.dir={(out / 'output').resolve()}"]
    command += ["--config-dir", str((out / "config").resolve())]
    if options.ranks > 1:
        command = [str(programs / "mpiexec"), "-n", str(options.ranks), *command]
    variables = {"PYTHONPATH": ROOT, "HDF5_USE_FILE_LOCKING": "FALSE", "DFTRACER_ENABLE": 0, "OMP_NUM_THREADS": 1}
    return shlex.join(["env", *(f"{name}={value}" for name, value in variables.items()), *command])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=ENVIRONMENT, help="DLIO's environment (default: build/dlio)")
    parser.add_argument("--problem", required=True)
    parser.add_argument("--data", type=Path, required=True, help="the dataset")
    parser.add_argument("--out", type=Path, required=True, help="folder for links, workload and DLIO's output")
    parser.add_argument("--workers", type=int, default=1, help="reader processes a rank (default: 1)")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--ranks", type=int, default=1, help="of DLIO (default: 1)")
    parser.add_argument("--compute-seconds", type=float, help="seconds of a step's computation")
    parser.add_argument("--from-log", type=Path, help="take them from the log of a run")
    options = parser.parse_args()
    try:
        problem = load_problem(options.problem)
        settings = settings_of(options, problem)
        cut = export(problem, options.data, options.out, settings)
        print(f"{options.out}: left out of train, validation: {cut['train']}, {cut['validation']}")
        print(typed(options, problem))
    except (OSError, ValueError) as error:
        print(f"dlio.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
