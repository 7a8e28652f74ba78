"""The workload DeepCAM: extreme weather in climate data. Its names are those of benchmark/workload.py."""

import hashlib
from pathlib import Path

import numpy as np

from benchmark.deepcam import files
from benchmark.deepcam.files import Arrays, sample_path
from benchmark.deepcam.problem import CHANNELS, CLASSES, Problem
from benchmark.workload import Box, VerifiedBox, whole_box

__all__ = ["Problem", "sample_path"]
SPARE = 16384  # bytes of HDF5's own structures in a file


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box, offsets: None = None) -> Arrays:
    """Return data, float32 (H, W, 16), the range of each channel, float32 (2, 16), and labels, uint8 (H, W). Raises
    ValueError for a box that is not the whole sample."""
    if tuple(box) != whole_box(problem):
        raise ValueError(f"found a box {box}, wanted {whole_box(problem)}: DeepCAM's samples are never split")
    return files.read_sample(root, problem, split, sample)


def verify_sample(root: Path, problem: Problem, split: str, sample: int, box: Box) -> VerifiedBox:
    """Read a sample and return its arrays with their `evidence`."""
    arrays = read_sample(root, problem, split, sample, box)
    return VerifiedBox(arrays, *evidence(problem, split, sample, box, arrays))


def blank(problem: Problem, box: Box) -> Arrays:
    _, height, width = box[1]
    sizes = ((height, width, CHANNELS), (2, CHANNELS))
    return *(np.zeros(size, np.float32) for size in sizes), np.zeros((height, width), np.uint8)


def evidence(problem: Problem, split: str, sample: int, box: Box, arrays: Arrays) -> tuple[int, tuple[int, ...]]:
    """Return the sample's digest, and its pixels by class. The digest is the sha256 of its place,
    its data as stored, the range that normalises them, and its labels."""
    digest = hashlib.sha256(f"{split}/{sample}/0,0,0\n".encode())
    for array, kind in zip(arrays, ("<f4", "<f4", "u1"), strict=True):
        digest.update(np.ascontiguousarray(array, kind))
    counts = np.bincount(arrays[-1].ravel(), minlength=len(CLASSES))
    return int.from_bytes(digest.digest(), "big"), tuple(counts.tolist())


def file_bytes(problem: Problem) -> int:
    """Return an upper bound of a file's bytes. Nothing is compressed, and labels are stored as bytes."""
    return problem.height * problem.width * (4 * CHANNELS + 1) + SPARE
