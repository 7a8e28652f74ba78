"""Store samples in the files that `store.py` describes.

A file is written under a temporary name, with its attribute `digest` last, then synced and renamed. So a file with the
final name is complete, whenever a process was killed.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from benchmark.atomic import replacing
from benchmark.fingerprint import add, brick_digest, to_hex
from benchmark.hdf5_writing import writing
from benchmark.scaffold.bricks import occupied_voxels
from benchmark.scaffold.description import Header
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.store import read_box

GZIP_LEVEL = 4
Slab = tuple[int, np.ndarray, np.ndarray]  # first plane; volume and label, uint8 (depth, H, W)


def write_sample(path: Path, problem: Problem, split: str, sample: int, volume: np.ndarray, label: np.ndarray) -> None:
    """Store a sample from volume and label, uint8 (D, H, W) each. See `write_slabs`."""
    b = problem.brick
    write_slabs(
        path, problem, split, sample, ((z, volume[z : z + b], label[z : z + b]) for z in range(0, len(label), b))
    )


def write_slabs(path: Path, problem: Problem, split: str, sample: int, slabs: Iterable[Slab]) -> Header:
    """Store a sample that comes in slabs of whole bricks, and return its header.

    No file has the final name until all of it is on disk. Raises OSError when it cannot be written.
    """
    with replacing(path) as temporary, writing(temporary, libver="latest") as file:
        return fill(file, problem, split, sample, slabs)


def fill(file: h5py.File, problem: Problem, split: str, sample: int, slabs: Iterable[Slab]) -> Header:
    """Write the datasets, then the attributes, with the digest last. Return the header."""
    n, b = problem.side, problem.brick
    chunks = {"shape": (n, n, n), "dtype": "u1", "chunks": (b, b, b)}
    volume = file.create_dataset("volume", **chunks)
    label = file.create_dataset("label", **chunks, compression="gzip", compression_opts=GZIP_LEVEL)
    bricks = file.create_dataset("bricks", (n // b, n // b, n // b, 32), "u1")

    def stored() -> Iterator[Slab]:
        for first, intensities, classes in slabs:
            volume[first : first + len(intensities)] = intensities
            label[first : first + len(classes)] = classes
            yield first, intensities, classes

    header = measure(problem, split, sample, stored(), bricks)
    for name in ("problem", "split"):
        file.attrs[name] = np.bytes_(getattr(header, name))  # of fixed length: see benchmark/hdf5_facts.py
    for name in ("sample", "side", "brick"):
        file.attrs[name] = getattr(header, name)
    file.attrs["class_counts"] = np.array(header.class_counts, np.int64)
    file.flush()
    file.attrs["digest"] = np.bytes_(header.digest)
    return header


def measure(problem: Problem, split: str, sample: int, slabs: Iterable[Slab], bricks: Any = None) -> Header:
    """Return the header, with digest and class counts, of a sample that comes in slabs. The sha256 of the bricks are
    written to `bricks`, if given. Raises ValueError for a wrong number of planes."""
    counts, total, b, planes = np.zeros(problem.classes, np.int64), 0, problem.brick, 0
    for first, intensities, classes in slabs:
        planes += len(classes)
        foreground = np.bincount(occupied_voxels(classes)[1], minlength=problem.classes)
        foreground[0] = classes.size - foreground.sum()
        counts += foreground
        digests = list(brick_digests(split, sample, (first, 0, 0), intensities, classes, b))
        total = add(total, *digests)
        if bricks is not None:
            layer = b"".join(d.to_bytes(32, "big") for d in digests)
            bricks[first // b : (first + len(classes)) // b] = np.frombuffer(layer, np.uint8).reshape(
                -1, *bricks.shape[1:]
            )
    if planes != problem.side:
        raise ValueError(f"sample {sample} of {split}: found {planes} planes, wanted {problem.side}")
    return Header(problem.digest(), split, sample, problem.side, b, to_hex(total), tuple(counts.tolist()))


def read_slabs(path: Path, problem: Problem) -> Iterator[Slab]:
    """Yield a stored sample in slabs of one brick's depth, so that only one slab has to be in memory."""
    for first in range(0, problem.side, problem.brick):
        yield first, *read_box(path, (first, 0, 0), (problem.brick, problem.side, problem.side))


def brick_digests(
    split: str, sample: int, origin: tuple[int, int, int], volume: np.ndarray, label: np.ndarray, brick: int
) -> Iterator[int]:
    """Yield the sha256 of each brick, row by row, of a box (D, H, W) whose first voxel is `origin`. Raises ValueError
    unless the box has whole bricks."""
    if volume.shape != label.shape or any(n % brick for n in (*volume.shape, *origin)):
        raise ValueError(f"box {volume.shape} at {origin} is not aligned to bricks of {brick}")
    for z, y, x in product(*(range(0, n, brick) for n in volume.shape)):
        position = ((origin[0] + z) // brick, (origin[1] + y) // brick, (origin[2] + x) // brick)
        cut = np.s_[z : z + brick, y : y + brick, x : x + brick]
        yield brick_digest(split, sample, position, volume[cut], label[cut])
