"""The workload DeepCAM: extreme weather in climate data. Its names are those of benchmark/workload.py."""

import hashlib
from pathlib import Path

import numpy as np

from benchmark import fingerprint
from benchmark.deepcam import files, twin
from benchmark.deepcam.files import Arrays, sample_path
from benchmark.deepcam.problem import CHANNELS, CLASSES, Problem, held_out
from benchmark.manifest import Entry
from benchmark.workload import Box, Proof, whole_box

__all__ = ["Problem", "held_out", "sample_path"]
SPARE = 16384  # bytes of HDF5's own structures in a file


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


state_sample = measure_sample  # the published files state nothing


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box, places: None = None) -> Arrays:
    """Return data, float32 (H, W, 16), the range of each channel, float32 (2, 16), and labels, uint8 (H, W). Raises
    ValueError for a box that is not the whole sample."""
    if tuple(box) != whole_box(problem):
        raise ValueError(f"found a box {box}, wanted {whole_box(problem)}: DeepCAM's samples are never split")
    return files.read_sample(root, problem, split, sample)


def prove_sample(root: Path, problem: Problem, split: str, sample: int, box: Box) -> Proof:
    """Read a sample and return its arrays with their `evidence`."""
    arrays = read_sample(root, problem, split, sample, box)
    return Proof(arrays, *evidence(problem, split, sample, box, arrays))


def blank(problem: Problem, box: Box) -> Arrays:
    _, height, width = box[1]
    sizes = ((height, width, CHANNELS), (2, CHANNELS))
    return *(np.zeros(size, np.float32) for size in sizes), np.zeros((height, width), np.uint8)


def evidence(problem: Problem, split: str, sample: int, box: Box, arrays: Arrays) -> tuple[int, tuple[int, ...]]:
    """Return the sample's summand of the fingerprint, and its pixels by class. The summand is the sha256 of its place,
    its data as stored, the range that normalises them, and its labels."""
    digest = hashlib.sha256(f"{split}/{sample}/0,0,0\n".encode())
    for array, kind in zip(arrays, ("<f4", "<f4", "u1"), strict=True):
        digest.update(np.ascontiguousarray(array, kind))
    counts = np.bincount(arrays[-1].ravel(), minlength=len(CLASSES))
    return int.from_bytes(digest.digest(), "big"), tuple(counts.tolist())


def file_bytes(problem: Problem) -> int:
    """Return an upper bound of a file's bytes. Nothing is compressed, and labels are stored as bytes."""
    return problem.height * problem.width * (4 * CHANNELS + 1) + SPARE


def generated(problem: Problem, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """Return data and labels of a twin's sample. Raises ValueError for a problem whose data are real."""
    if not problem.twin:
        raise ValueError(f"{problem.name} has no generator: get MLPerf HPC's dataset, then run generate.py --manifest")
    return twin.make(problem, sample)


def entry(problem: Problem, split: str, sample: int, arrays: Arrays) -> Entry:
    """Return the manifest's entry of a sample."""
    digest, counts = evidence(problem, split, sample, whole_box(problem), arrays)
    return Entry(sample, split, fingerprint.to_hex(digest), counts)
