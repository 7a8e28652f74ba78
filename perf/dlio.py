"""Export the project's datasets for DLIO 2.0.0, which `make dlio` installs.

    python perf/dlio.py --problem smoke --data data/smoke --out build/smoke [--from-log build/result_0.txt]

It writes links to a dataset that DLIO can read, and prints the command that runs DLIO. docs/io.md says what the numbers
mean.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
import yaml

from benchmark.log import Event, read_log
from benchmark.problem import load_problem
from benchmark.source import ROOT
from benchmark.workload import AnyProblem, Box, module_of
from benchmark.writing import write_text
from implementations.pytorch_tools.input_trial.compute import compute_times
from perf.script import script, want
from perf.settings import reference_settings

SPLITS = {"train": "train", "validation": "valid"}  # the folders of our splits, by which DLIO tells them
PROGRAMS = Path("build/dlio/bin")


def export(problem: AnyProblem, data: Path, folder: Path, steps: dict[str, int]) -> dict[str, int]:
    """Write links to the files of a dataset into a folder; {split: number of samples}. A reader class (`plugin.py`)
    finds the dataset by `store.yaml`. `steps` are the samples of a step over all ranks, by split: DLIO wants multiples
    of them, so the last samples may have no link."""
    counts = {}
    for split, name in SPLITS.items():
        samples = list(problem.split_samples(split))
        counts[split] = len(samples) // steps[split] * steps[split]
        (folder / name).mkdir(parents=True, exist_ok=True)
        for sample in samples[: counts[split]]:
            path = folder / name / f"{sample:07d}.hdf5"
            path.unlink(missing_ok=True)
            path.symlink_to(module_of(problem).sample_path(data, problem, split, sample).absolute())
    write_text(folder / "store.yaml", yaml.safe_dump({"problem": problem.name, "data": str(data.resolve())}))
    return counts


def workload(options: argparse.Namespace, problem: AnyProblem, config: Any, counts: dict[str, int]) -> dict[str, Any]:
    """The YAML of a workload for DLIO 2.0.0, but for its name. It has no key that DLIO does not read."""
    decoded = module_of(problem).blank(problem, Box((0, 0, 0), problem.shape))
    mean, deviation = computation(options)
    return {
        "framework": "pytorch",
        "workflow": {"generate_data": False, "train": True, "evaluation": bool(counts["validation"])},
        "dataset": {
            "data_folder": str((options.out / "store").resolve()),
            "format": "hdf5",
            "num_files_train": counts["train"],
            "num_files_eval": counts["validation"],
            "num_samples_per_file": 1,
            "record_length": sum(a.nbytes for a in decoded),
        },
        "reader": {
            "data_loader": "pytorch",
            "reader_classname": "perf.storage.plugin.StoreReader",
            "batch_size": config.batch_size // options.ranks,
            "batch_size_eval": config.eval_batch_size,
            "read_threads": options.workers,  # 0 reads in the process that trains
            "prefetch_size": config.prefetch * max(1, options.workers),
            "file_shuffle": "seed",
            "sample_shuffle": "seed",
        },
        "train": {"epochs": options.epochs, "computation_time": mean, "computation_time_stdev": deviation},
        "evaluation": {"eval_time": evaluation_seconds(options.from_log, problem, config.eval_batch_size)},
    }


def computation(options: argparse.Namespace) -> tuple[float, float]:
    """(mean, standard deviation) of the seconds that a training step computes: as given, or from a log."""
    if not options.from_log:
        return options.compute_seconds or 0.0, 0.0
    drawn = compute_times(None, options.from_log).draw(0, 0, 10_000)
    return float(np.mean(drawn)), float(np.std(drawn))


def evaluation_seconds(log: Path | None, problem: AnyProblem, batch: int) -> float:
    """Seconds of an evaluation step of so many samples: the median over the log's evaluations, 0 if there are none."""
    events = [event for event in read_log(log) if isinstance(event, Event)] if log else []
    starts, stops = ([e.time_ms for e in events if e.key == key] for key in ("eval_start", "eval_stop"))
    steps = -(-problem.validation_samples // batch)
    return float(np.median([(b - a) / 1000 / steps for a, b in zip(starts, stops, strict=False)])) if stops else 0.0


def typed(options: argparse.Namespace, workload: str) -> str:
    """The command that runs DLIO on a workload, to be typed; at several ranks by MPI."""
    programs, out = PROGRAMS.absolute(), options.out
    command = [str(programs / "python"), str(ROOT / "perf" / "storage" / "launch.py")]
    command += [f"workload={workload}", f"hydra.run.dir={(out / 'output').resolve()}"]
    command += ["--config-dir", str((out / "config").resolve())]
    if options.ranks > 1:
        command = [str(programs / "mpiexec"), "-n", str(options.ranks), *command]
    variables = {"PYTHONPATH": ROOT, "HDF5_USE_FILE_LOCKING": "FALSE", "DFTRACER_ENABLE": 0, "OMP_NUM_THREADS": 1}
    return shlex.join(["env", *(f"{name}={value}" for name, value in variables.items()), *command])


@script
def main(arguments: Sequence[str] | None) -> None:
    """Export, and print what was left out and the command. Raises OSError and ValueError."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", required=True)
    parser.add_argument("--data", type=Path, required=True, help="the dataset")
    parser.add_argument("--out", type=Path, required=True, help="folder for links, workload and DLIO's output")
    parser.add_argument("--workers", type=int, default=1, help="reader processes a rank (default: 1)")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--ranks", type=int, default=1, help="of DLIO (default: 1)")
    seconds = parser.add_mutually_exclusive_group()
    seconds.add_argument("--compute-seconds", type=float, help="seconds of a step's computation")
    seconds.add_argument("--from-log", type=Path, help="take them from the log of a run")
    options = parser.parse_args(arguments)
    want(1, ranks=options.ranks, epochs=options.epochs)
    want(0, workers=options.workers, compute_seconds=options.compute_seconds or 0)
    if not options.data.is_dir():
        raise ValueError(f"{options.data}: found no folder, wanted a dataset")
    problem, config, out = load_problem(options.problem), reference_settings(options.problem), options.out
    if config.batch_size % options.ranks:
        raise ValueError(f"--ranks: found {options.ranks}, wanted a divisor of the batch size {config.batch_size}")
    steps = {"train": config.batch_size, "validation": config.eval_batch_size * options.ranks}
    counts = export(problem, options.data, out / "store", steps)
    name = f"{problem.name.replace('-', '_')}_store"
    content = yaml.safe_dump({"model": name, **workload(options, problem, config, counts)}, sort_keys=False)
    write_text(out / "config" / "workload" / f"{name}.yaml", content)
    left = [len(problem.split_samples(split)) - count for split, count in counts.items()]
    print(f"{out}: left out of train, validation: {left[0]}, {left[1]}")
    print(typed(options, name))


if __name__ == "__main__":
    sys.exit(main())
