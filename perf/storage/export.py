"""Exporting a dataset for DLIO: a view of its files, and a workload's YAML.

There are two views. `stock` has small HDF5 files whose virtual dataset `records` refers to a sample's arrays in our
file, for DLIO's own HDF5 reader. `store` has links to our files, for a reader class that calls the reference's reader
(`plugin.py`). DLIO finds files by their ending, and splits by the folders `train` and `valid`.
"""

import io
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import yaml

from benchmark.atomic import replacing
from benchmark.workload import AnyProblem, Box, module_of
from benchmark.writing import write_text

VIEWS = ("stock", "store")
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


def arrays_of(path: Path) -> list[str]:
    """The HDF5 datasets of a sample's file that the stock view shows; they share one type, so that `records` can hold
    them. Raises ValueError for a file that is not HDF5."""
    names = {"volume": ["volume", "label"], "x": ["x"], "climate/data": ["climate/data"]}
    if path.suffix not in (".h5", ".hdf5"):
        raise ValueError(f"{path}: found no HDF5 file, wanted one: DLIO's HDF5 reader takes nothing else")
    with h5py.File(path, "r", locking=False) as file:
        return next(found for first, found in names.items() if first in file)


def record_shape(path: Path) -> tuple[tuple[int, ...], str]:
    """(shape, type) of `records` for a sample's file: (1, arrays, *shape of an array)."""
    names = arrays_of(path)
    with h5py.File(path, "r", locking=False) as file:
        sets = [file[name] for name in names]
        return (1, len(sets), *sets[0].shape), sets[0].dtype.str


def write_view(path: Path, source: Path) -> None:
    """Write a file whose virtual dataset `records` refers to the arrays of a sample. Raises OSError, which names it."""
    shape, dtype = record_shape(source)
    layout = h5py.VirtualLayout(shape, dtype)
    for number, name in enumerate(arrays_of(source)):
        layout[0, number] = h5py.VirtualSource(str(source.resolve()), name, shape[2:], dtype)
    data = io.BytesIO()
    with h5py.File(data, "w") as file:
        file.create_virtual_dataset("records", layout)
    with replacing(path) as partial:
        partial.write_bytes(data.getvalue())


def export(problem: AnyProblem, data: Path, out: Path, view: str, settings: Settings) -> dict[str, int]:
    """Write a view and its YAML below `out`; {split: samples left out}, since DLIO wants multiples of batch times
    ranks. Raises ValueError for a dataset that the view cannot show."""
    counts, cut = {}, {}
    for split, folder in SPLITS.items():
        samples = list(problem.split_samples(split))
        each = settings.ranks * (settings.batch if split == "train" else settings.eval_batch)
        counts[split] = len(samples) // each * each
        cut[split] = len(samples) - counts[split]
        target = out / view / folder
        target.mkdir(parents=True, exist_ok=True)
        for sample in samples[: counts[split]]:
            source, path = module_of(problem).sample_path(data, problem, split, sample), target / f"{sample:07d}.hdf5"
            path.unlink(missing_ok=True)
            if view == "stock":
                write_view(path, source)
            else:
                path.symlink_to(os.path.abspath(source))
    if view == "store":
        known = {"problem": problem.name, "data": str(data.resolve())}
        write_text(out / view / "store.yaml", yaml.safe_dump(known))
    first = module_of(problem).sample_path(data, problem, "train", problem.split_samples("train")[0])
    path = out / "config" / "workload" / f"{name_of(problem, view)}.yaml"
    body = workload(problem, out, view, settings, counts, record_bytes(problem, first, view))
    write_text(path, yaml.safe_dump(body, sort_keys=False))
    return cut


def record_bytes(problem: AnyProblem, path: Path, view: str) -> int:
    """The nominal bytes of a record as DLIO counts them: decoded arrays."""
    if view == "stock":
        shape, dtype = record_shape(path)
        return math.prod(shape) * np.dtype(dtype).itemsize
    return sum(a.nbytes for a in module_of(problem).blank(problem, Box((0, 0, 0), problem.shape)))


def name_of(problem: AnyProblem, view: str) -> str:
    """The name of a workload, in its file's name and on DLIO's command line."""
    return f"{problem.name.replace('-', '_')}_{view}"


def workload(
    problem: AnyProblem, out: Path, view: str, s: Settings, counts: dict[str, int], size: int
) -> dict[str, Any]:
    """The YAML of a workload for DLIO 2.0.0. It has no key that DLIO does not read."""
    reader: dict[str, Any] = {
        "data_loader": "pytorch",
        "batch_size": s.batch,
        "batch_size_eval": s.eval_batch,
        "read_threads": s.workers,  # 0 reads in the process that trains
        "prefetch_size": s.prefetch * max(1, s.workers),
        "file_shuffle": "seed",
        "sample_shuffle": "seed",
    }
    return {
        "model": name_of(problem, view),
        "framework": "pytorch",
        "workflow": {"generate_data": False, "train": True, "evaluation": bool(counts["validation"])},
        "dataset": {
            "data_folder": str((out / view).resolve()),
            "format": "hdf5",
            "num_files_train": counts["train"],
            "num_files_eval": counts["validation"],
            "num_samples_per_file": 1,
            "record_length": size,
        },
        "reader": reader | ({"reader_classname": READER} if view == "store" else {}),
        "train": {"epochs": s.epochs, "computation_time": s.computation, "computation_time_stdev": s.deviation},
        "evaluation": {"eval_time": s.evaluation},
    }
