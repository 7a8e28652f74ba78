"""Store samples: one HDF5 file each, DIR/<split>/<id>.h5.

A file has three datasets: `volume`, uint8 without any filter; `label`, uint8 with gzip; and `bricks`, the sha256 of
every brick (as in benchmark/fingerprint.py), uint8 (bricks z, y, x, 32). The first two are chunked by bricks. Reading a
box reads only its bricks and compares each with its sha256. HDF5's own fletcher32 is not used, because it passes a
chunk that a disk lost and returned as zeros.

A file is written under a temporary name, with its attribute `digest` last, then synced and renamed. So a file with the
final name is complete, whenever a process was killed.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from benchmark.atomic import replacing
from benchmark.fingerprint import add, brick_digest, brick_digests, to_hex
from benchmark.hdf5 import named, opened, writing
from benchmark.scaffold.bricks import Arrays, Voxels, find_bricks, read_bricks, touched
from benchmark.scaffold.description import Header, described
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import occupied_voxels

GZIP_LEVEL = 4
Slab = tuple[int, np.ndarray, np.ndarray]  # first plane; volume and label, uint8 (depth, H, W)


def sample_path(root: Path, split: str, sample: int) -> Path:
    """Return the file of a sample."""
    return Path(root) / split / f"{sample:05d}.h5"


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
    for name in ("problem", "split", "sample", "side", "brick"):
        file.attrs[name] = getattr(header, name)
    file.attrs["class_counts"] = np.array(header.class_counts, np.int64)
    file.flush()
    file.attrs["digest"] = header.digest
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


class Proved(NamedTuple):
    """A box whose bricks had the right sha256: volume and label, uint8 (D, H, W) each; the sum of the digests of the
    bricks that it touches; and their places in the file, int64 (bricks, volume and label, offset and bytes)."""

    volume: np.ndarray
    label: np.ndarray
    digest: int
    places: np.ndarray


def read_box(path: Path, origin: Voxels = (0, 0, 0), shape: Voxels | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return volume and label of a box, uint8 (D, H, W) each; of the whole sample by default.

    Only the bricks that the box touches are read, and each is checked. Raises ValueError, naming the file, when it is
    missing, unfinished, truncated or corrupt.
    """
    return prove_box(path, origin, shape)[:2]


def prove_box(path: Path, origin: Voxels = (0, 0, 0), shape: Voxels | None = None) -> Proved:
    """Read and check a box as `read_box` does, and return it with its proof. Each brick is hashed once, for both."""
    with opened(path) as file:
        split, sample, side, b, volume, label, stored = described(path, file)
        cut = touched(path, side, b, origin, shape or (side,) * 3)
        counts = tuple(n // b for n in cut.shape)
        wanted = stored.read((*(a // b for a in cut.low), 0), (*counts, 32)).reshape(-1, 32)
        positions, digests = list(cut.positions()), [0] * len(wanted)

        def check(number: int, intensities: np.ndarray, classes: np.ndarray) -> None:
            position = positions[number]
            found = brick_digest(split, sample, position, intensities, classes)
            if wanted[number].tobytes() != found.to_bytes(32, "big"):
                raise ValueError(
                    f"{path}: brick {position} is corrupt: its bytes do not have the sha256 stored with them"
                )
            digests[number] = found

        places = find_bricks(volume.id, label.id, cut)
        return Proved(*read_bricks(path, cut, places, check), add(*digests), places)


def read_again(path: Path, side: int, brick: int, origin: Voxels, shape: Voxels, places: np.ndarray) -> Arrays:
    """Read a box that was proved before from its `places`, without HDF5 and without any check.

    The caller must compare the result with a checksum. Raises ValueError, naming the file, where there are no bricks.
    """
    with named(path):
        return read_bricks(path, touched(path, side, brick, origin, shape), places)


def read_slabs(path: Path, problem: Problem) -> Iterator[Slab]:
    """Yield a stored sample in slabs of one brick's depth, so that only one slab has to be in memory."""
    for first in range(0, problem.side, problem.brick):
        yield first, *read_box(path, (first, 0, 0), (problem.brick, problem.side, problem.side))
