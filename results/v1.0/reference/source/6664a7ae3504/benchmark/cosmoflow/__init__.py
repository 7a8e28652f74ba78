"""The workload CosmoFlow: four parameters from counts of dark matter. Its names are those of benchmark/workload.py."""

import hashlib
from pathlib import Path

import numpy as np

from benchmark import fingerprint
from benchmark.cosmoflow import files
from benchmark.cosmoflow.files import FRAMING, Arrays, sample_path
from benchmark.cosmoflow.problem import PARAMETERS, Problem
from benchmark.workload import Box, VerifiedBox

__all__ = ["Problem", "sample_path"]


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box, offsets: None = None) -> Arrays:
    """Return the counts of a box, int16 (d, h, w, channels), and the parameters, float32 (4,)."""
    return files.read_sample(sample_path(root, problem, split, sample), problem, box)


def verify_sample(root: Path, problem: Problem, split: str, sample: int, box: Box) -> VerifiedBox:
    """Read a box and return its arrays with their `evidence`."""
    arrays = read_sample(root, problem, split, sample, box)
    return VerifiedBox(arrays, *evidence(problem, split, sample, box, arrays))


def blank(problem: Problem, box: Box) -> Arrays:
    return np.zeros((*box[1], problem.channels), np.int16), np.zeros(PARAMETERS, np.float32)


def evidence(problem: Problem, split: str, sample: int, box: Box, arrays: Arrays) -> tuple[int, tuple[int, ...]]:
    """Return the box's digest, and () for classes, which CosmoFlow has not.

    The digest is the sum of the bricks' sha256, each over the brick's place, its counts in C order and the parameters.
    It does not depend on the files' format. Raises ValueError for a box that does not have whole bricks.
    """
    (x, y), origin, b = arrays, box[0], problem.brick
    if any(n % b for n in (*origin, *x.shape[:3])):
        raise ValueError(f"found a box {x.shape[:3]} at {origin}, wanted whole bricks of {b}")
    total, parameters = 0, y.astype("<f4", copy=False).tobytes()
    for z, v, u in np.ndindex(*(n // b for n in x.shape[:3])):
        place = f"{split}/{sample}/{origin[0] // b + z},{origin[1] // b + v},{origin[2] // b + u}\n"
        digest = hashlib.sha256(place.encode())
        counts = x[z * b : (z + 1) * b, v * b : (v + 1) * b, u * b : (u + 1) * b]
        digest.update(np.ascontiguousarray(counts, "<i2"))
        digest.update(parameters)
        total += int.from_bytes(digest.digest(), "big")
    return total % fingerprint.MODULUS, ()


def file_bytes(problem: Problem) -> int:
    """Return an upper bound of a file's bytes: the uncompressed counts, and room for framing."""
    size = 2 * problem.side**3 * problem.channels
    return size + size // 1000 + FRAMING
