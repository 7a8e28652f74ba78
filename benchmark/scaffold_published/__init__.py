"""The workload ScaFFold as published: volumes of coloured fractals. Its names are those of benchmark/workload.py."""

import hashlib
from pathlib import Path

import numpy as np

from benchmark import fingerprint
from benchmark.scaffold_published import files
from benchmark.scaffold_published.files import HEADER_BYTES, Arrays, files_beside, sample_path
from benchmark.scaffold_published.problem import COLOURS, Problem
from benchmark.workload import Box, VerifiedBox

__all__ = ["Problem", "files_beside", "sample_path"]


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box, offsets: None = None) -> Arrays:
    """Return colours, float32 (3, d, h, w), and classes, uint8 (d, h, w), of a box."""
    return files.read_sample(root, problem, split, sample, box)


def verify_sample(root: Path, problem: Problem, split: str, sample: int, box: Box) -> VerifiedBox:
    """Read a box and return its arrays with their `evidence`."""
    arrays = read_sample(root, problem, split, sample, box)
    return VerifiedBox(arrays, *evidence(problem, split, sample, box, arrays))


def blank(problem: Problem, box: Box) -> Arrays:
    return np.zeros((COLOURS, *box[1]), np.float32), np.zeros(box[1], np.uint8)


def evidence(problem: Problem, split: str, sample: int, box: Box, arrays: Arrays) -> tuple[int, tuple[int, ...]]:
    """Return the box's digest, and its voxels by class.

    The digest is the sum of the bricks' sha256, each over the brick's place, its colours and its classes as stored.
    Raises ValueError for a box that does not have whole bricks.
    """
    (colours, classes), origin, b = arrays, box[0], problem.brick
    if any(n % b for n in (*origin, *classes.shape)):
        raise ValueError(f"found a box {classes.shape} at {origin}, wanted whole bricks of {b}")
    total = 0
    for z, y, x in np.ndindex(*(n // b for n in classes.shape)):
        place = f"{split}/{sample}/{origin[0] // b + z},{origin[1] // b + y},{origin[2] // b + x}\n"
        digest = hashlib.sha256(place.encode())
        cut = np.s_[..., z * b : (z + 1) * b, y * b : (y + 1) * b, x * b : (x + 1) * b]
        digest.update(np.ascontiguousarray(colours[cut], "<f4").tobytes())
        digest.update(np.ascontiguousarray(classes[cut], "<u2").tobytes())
        total += int.from_bytes(digest.digest(), "big")
    counts = np.bincount(classes.ravel(), minlength=problem.classes)
    return total % fingerprint.MODULUS, tuple(counts.tolist())


def file_bytes(problem: Problem) -> int:
    """Return an upper bound of the bytes of a sample's two files."""
    return problem.side**3 * (4 * COLOURS + 2) + HEADER_BYTES
