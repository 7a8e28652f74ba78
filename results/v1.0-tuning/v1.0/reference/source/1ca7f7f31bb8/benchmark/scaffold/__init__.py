"""ScaFFold as a workload: volumes of fractals, HDF5 files of bricks. What each name means: benchmark/workload.py."""

from pathlib import Path

import numpy as np

from benchmark.manifest import Entry
from benchmark.scaffold import store
from benchmark.scaffold.problem import Problem, held_out
from benchmark.scaffold.volume import make_slabs
from benchmark.workload import Box, Proof

__all__ = ["Problem", "held_out"]


def sample_path(root: Path, problem: Problem, split: str, sample: int) -> Path:
    """DIR/<split>/<id>.h5."""
    return store.sample_path(root, split, sample)


def make_sample(root: Path, problem: Problem, split: str, sample: int) -> None:
    """A slab of bricks at a time."""
    store.write_slabs(store.sample_path(root, split, sample), problem, split, sample, make_slabs(problem, sample))


def stream_sample(problem: Problem, split: str, sample: int) -> Entry:
    return entry(store.measure(problem, split, sample, make_slabs(problem, sample)))


def state_sample(root: Path, problem: Problem, split: str, sample: int) -> Entry:
    """The file's header."""
    return entry(header(root, problem, split, sample))


def measure_sample(root: Path, problem: Problem, split: str, sample: int) -> Entry:
    """A slab of bricks at a time."""
    header(root, problem, split, sample)
    path = store.sample_path(root, split, sample)
    return entry(store.measure(problem, split, sample, store.read_slabs(path, problem)))


def prove_sample(root: Path, problem: Problem, split: str, sample: int, box: Box) -> Proof:
    """Volume and label, uint8 (D, H, W) each. Reads the bricks of the box, no others, each held against its sha256."""
    path = store.sample_path(root, split, sample)
    if any(n % problem.brick for corner in box for n in corner):
        raise ValueError(f"{path}: found a box {box}, wanted whole bricks of {problem.brick}")
    volume, label, digest, places = store.prove_box(path, *box)
    found = np.bincount(label[label != 0], minlength=problem.classes)  # few voxels are
    if len(found) > problem.classes:
        raise ValueError(f"{path}: found label {len(found) - 1}, wanted labels below {problem.classes}")
    return Proof((volume, label), digest, (int(label.size - found.sum()), *found[1:].tolist()), places)


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box, places: np.ndarray) -> store.Arrays:
    """The same bricks from the same places."""
    return store.read_again(store.sample_path(root, split, sample), problem.side, problem.brick, *box, places)


def blank(problem: Problem, box: Box) -> store.Arrays:
    return np.zeros(box[1], np.uint8), np.zeros(box[1], np.uint8)


def file_bytes(problem: Problem) -> int:
    """Rounded up: the volume as it is, an eighth of that for the compressed label (measured: 1/60 at scale 5, less
    above), a brick's sha256 and place in the index, and HDF5's own."""
    bricks = (problem.side // problem.brick) ** 3
    return problem.voxels + problem.voxels // 8 + 128 * bricks + 16384


def header(root: Path, problem: Problem, split: str, sample: int) -> store.Header:
    """The header of a sample's file. Raises ValueError naming the file if it belongs to another problem."""
    path = store.sample_path(root, split, sample)
    found = store.read_header(path)
    if found.problem != problem.digest():
        raise ValueError(f"{path}: made for problem digest {found.problem}, wanted {problem.digest()} ({problem.name})")
    return found


def entry(found: store.Header) -> Entry:
    """What a manifest says of a sample."""
    return Entry(found.sample, found.split, found.digest, found.class_counts)
