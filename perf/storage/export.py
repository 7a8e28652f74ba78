"""Exporting a dataset for DLIO: links to its files, which DLIO finds by their ending and splits by the folders `train`
and `valid`, and a workload's YAML. A reader class calls the reference's reader (`plugin.py`)."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmark.workload import AnyProblem, Box, module_of
from benchmark.writing import write_text

SPLITS = {"train": "train", "validation": "valid"}
READER = "perf.storage.plugin.StoreReader"


@dataclass(frozen=True)
class Settings:
    """How DLIO reads: samples per step and rank, reader processes, batches read ahead, epochs and ranks. `computation`
    and `deviation` are the seconds of a training step, `evaluation` those of an evaluation step."""

    batch: int
    eval_batch: int
    workers: int
    prefetch: int
    epochs: int = 2
    ranks: int = 1
    computation: float = 0.0
    deviation: float = 0.0
    evaluation: float = 0.0


def export(problem: AnyProblem, data: Path, out: Path, settings: Settings) -> dict[str, int]:
    """Write links and YAML below `out`; {split: samples left out}, since DLIO wants multiples of batch times ranks."""
    counts, cut = {}, {}
    for split, folder in SPLITS.items():
        samples = list(problem.split_samples(split))
        each = settings.ranks * (settings.batch if split == "train" else settings.eval_batch)
        counts[split] = len(samples) // each * each
        cut[split] = len(samples) - counts[split]
        target = out / "store" / folder
        target.mkdir(parents=True, exist_ok=True)
        for sample in samples[: counts[split]]:
            path = target / f"{sample:07d}.hdf5"
            path.unlink(missing_ok=True)
            path.symlink_to(os.path.abspath(module_of(problem).sample_path(data, problem, split, sample)))
    known = {"problem": problem.name, "data": str(data.resolve())}
    write_text(out / "store" / "store.yaml", yaml.safe_dump(known))
    path = out / "config" / "workload" / f"{name_of(problem)}.yaml"
    write_text(path, yaml.safe_dump(workload(problem, out, settings, counts), sort_keys=False))
    return cut


def name_of(problem: AnyProblem) -> str:
    """The name of a workload, in its file's name and on DLIO's command line."""
    return f"{problem.name.replace('-', '_')}_store"


def workload(problem: AnyProblem, out: Path, s: Settings, counts: dict[str, int]) -> dict[str, Any]:
    """The YAML of a workload for DLIO 2.0.0. It has no key that DLIO does not read."""
    decoded = module_of(problem).blank(problem, Box((0, 0, 0), problem.shape))
    return {
        "model": name_of(problem),
        "framework": "pytorch",
        "workflow": {"generate_data": False, "train": True, "evaluation": bool(counts["validation"])},
        "dataset": {
            "data_folder": str((out / "store").resolve()),
            "format": "hdf5",
            "num_files_train": counts["train"],
            "num_files_eval": counts["validation"],
            "num_samples_per_file": 1,
            "record_length": sum(a.nbytes for a in decoded),
        },
        "reader": {
            "data_loader": "pytorch",
            "reader_classname": READER,
            "batch_size": s.batch,
            "batch_size_eval": s.eval_batch,
            "read_threads": s.workers,  # 0 reads in the process that trains
            "prefetch_size": s.prefetch * max(1, s.workers),
            "file_shuffle": "seed",
            "sample_shuffle": "seed",
        },
        "train": {"epochs": s.epochs, "computation_time": s.computation, "computation_time_stdev": s.deviation},
        "evaluation": {"eval_time": s.evaluation},
    }
