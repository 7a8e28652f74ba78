"""The workload ScaFFold: volumes of fractals in HDF5 files. Its names are those of benchmark/workload.py."""

from pathlib import Path

import numpy as np

from benchmark.scaffold import store
from benchmark.scaffold.bricks import occupied_voxels
from benchmark.scaffold.problem import Problem
from benchmark.workload import Box, VerifiedBox

__all__ = ["Problem"]


def sample_path(root: Path, problem: Problem, split: str, sample: int) -> Path:
    """Return the file of a sample, DIR/<split>/<id>.h5."""
    return store.sample_path(root, split, sample)


def verify_sample(root: Path, problem: Problem, split: str, sample: int, box: Box) -> VerifiedBox:
    """Read volume and label of a box, uint8 (D, H, W) each. Only the box's bricks are read, and each is compared with
    its sha256. Raises ValueError for a box that does not have whole bricks."""
    path = store.sample_path(root, split, sample)
    if any(n % problem.brick for corner in box for n in corner):
        raise ValueError(f"{path}: found a box {box}, wanted whole bricks of {problem.brick}")
    (volume, label), digest, offsets = store.verify_box(path, *box)
    found = np.bincount(occupied_voxels(label)[1], minlength=problem.classes)
    if len(found) > problem.classes:
        raise ValueError(f"{path}: found label {len(found) - 1}, wanted labels below {problem.classes}")
    return VerifiedBox((volume, label), digest, (int(label.size - found.sum()), *found[1:].tolist()), offsets)


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box, offsets: np.ndarray) -> store.Arrays:
    """Read a box that was verified before from the `offsets` that were found then."""
    return store.read_again(store.sample_path(root, split, sample), problem.side, problem.brick, *box, offsets)


def blank(problem: Problem, box: Box) -> store.Arrays:
    return np.zeros(box[1], np.uint8), np.zeros(box[1], np.uint8)


def file_bytes(problem: Problem) -> int:
    """Return an upper bound of a file's bytes: the volume uncompressed, an eighth of that for the compressed label
    (measured: 1/60 at scale 5, less above), each brick's sha256 and place in the index, and HDF5's own structures."""
    bricks = (problem.side // problem.brick) ** 3
    return problem.voxels + problem.voxels // 8 + 128 * bricks + 16384
