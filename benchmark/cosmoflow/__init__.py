"""The workload CosmoFlow: four parameters from counts of dark matter. Its names are those of benchmark/workload.py."""

import hashlib
from pathlib import Path

import numpy as np

from benchmark import fingerprint
from benchmark.cosmoflow import files
from benchmark.cosmoflow.files import FRAMING, Arrays, sample_path
from benchmark.cosmoflow.problem import PARAMETERS, Problem, held_out
from benchmark.cosmoflow.universe import make_universe
from benchmark.manifest import Entry
from benchmark.workload import Box, Proof, whole_box

__all__ = ["Problem", "held_out", "sample_path"]


def make_sample(root: Path, problem: Problem, split: str, sample: int) -> None:
    """Generate and store a synthetic universe, in the problem's format."""
    files.write_sample(sample_path(root, problem, split, sample), problem, *make_universe(problem, sample))


def stream_sample(problem: Problem, split: str, sample: int) -> Entry:
    return entry(problem, split, sample, make_universe(problem, sample))


def measure_sample(root: Path, problem: Problem, split: str, sample: int) -> Entry:
    return entry(problem, split, sample, read_sample(root, problem, split, sample, whole_box(problem)))


state_sample = measure_sample  # the published files state nothing


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box, places: None = None) -> Arrays:
    """Return the counts of a box, int16 (d, h, w, channels), and the parameters, float32 (4,)."""
    return files.read_sample(sample_path(root, problem, split, sample), problem, box)


def prove_sample(root: Path, problem: Problem, split: str, sample: int, box: Box) -> Proof:
    """Read a box and return its arrays with their `evidence`."""
    arrays = read_sample(root, problem, split, sample, box)
    return Proof(arrays, *evidence(problem, split, sample, box, arrays))


def blank(problem: Problem, box: Box) -> Arrays:
    return np.zeros((*box[1], problem.channels), np.int16), np.zeros(PARAMETERS, np.float32)


def evidence(problem: Problem, split: str, sample: int, box: Box, arrays: Arrays) -> tuple[int, tuple[int, ...]]:
    """Return the box's summand of the fingerprint, and () for classes, which CosmoFlow has not.

    The summand is the sum of the bricks' sha256, each over the brick's place, its counts in C order and the parameters.
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


def entry(problem: Problem, split: str, sample: int, arrays: Arrays) -> Entry:
    """Return the manifest's entry of a sample."""
    digest, counts = evidence(problem, split, sample, whole_box(problem), arrays)
    return Entry(sample, split, fingerprint.to_hex(digest), counts)
