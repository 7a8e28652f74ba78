"""Make the samples of DeepCAM's twins, and measure stored ones. Its names are those of benchmark/workload.py."""

from pathlib import Path

import numpy as np

from benchmark import fingerprint
from benchmark.deepcam import evidence, files, twin
from benchmark.deepcam.files import Arrays, sample_path
from benchmark.deepcam.problem import Problem, held_out
from benchmark.manifest import Entry
from benchmark.workload import whole_box

__all__ = ["held_out"]


def make_sample(root: Path, problem: Problem, split: str, sample: int) -> None:
    """Generate and store a sample, and stats.h5 if it is not there yet."""
    data, label = generated(problem, sample)
    files.write_stats(root, *twin.value_range())
    files.write_sample(sample_path(root, problem, split, sample), problem, data, label)


def stream_sample(problem: Problem, split: str, sample: int) -> Entry:
    data, label = generated(problem, sample)
    return entry(problem, split, sample, (data, twin.value_range(), label))


def measure_sample(root: Path, problem: Problem, split: str, sample: int) -> Entry:
    return entry(problem, split, sample, files.read_sample(root, problem, split, sample))


def generated(problem: Problem, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """Return data and labels of a twin's sample. Raises ValueError for a problem whose data are real."""
    if not problem.twin:
        raise ValueError(f"{problem.name} has no generator: get MLPerf HPC's dataset, then run generate.py --manifest")
    return twin.make(problem, sample)


state_sample = measure_sample  # the published files state nothing


def entry(problem: Problem, split: str, sample: int, arrays: Arrays) -> Entry:
    """Return the manifest's entry of a sample."""
    digest, counts = evidence(problem, split, sample, whole_box(problem), arrays)
    return Entry(sample, split, fingerprint.to_hex(digest), counts)
