"""Exporting a dataset for DLIO: links to its files, which DLIO finds by their ending and splits by the folders `train`
and `valid`. A reader class calls the reference's reader (`plugin.py`), and finds the dataset by `store.yaml`."""

import os
from pathlib import Path

import yaml

from benchmark.workload import AnyProblem, module_of
from benchmark.writing import write_text

SPLITS = {"train": "train", "validation": "valid"}
READER = "perf.storage.plugin.StoreReader"


def export(problem: AnyProblem, data: Path, folder: Path, steps: dict[str, int]) -> dict[str, int]:
    """Write links into a folder; {split: number of samples}. `steps` are the samples of a step over all ranks, by
    split: DLIO wants multiples of them, so the last samples may have no link."""
    counts = {}
    for split, name in SPLITS.items():
        samples = list(problem.split_samples(split))
        counts[split] = len(samples) // steps[split] * steps[split]
        (folder / name).mkdir(parents=True, exist_ok=True)
        for sample in samples[: counts[split]]:
            path = folder / name / f"{sample:07d}.hdf5"
            path.unlink(missing_ok=True)
            path.symlink_to(os.path.abspath(module_of(problem).sample_path(data, problem, split, sample)))
    known = {"problem": problem.name, "data": str(data.resolve())}
    write_text(folder / "store.yaml", yaml.safe_dump(known))
    return counts
