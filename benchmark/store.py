"""Storage: one HDF5 file a sample, DIR/<split>/<id>.h5.

Datasets, all chunked by bricks: `volume` uint8 without any filter; `label` uint8, gzip; `bricks`, the sha256
of every brick (as in benchmark/fingerprint.py), uint8 (bricks z, y, x, 32). Reading a box reads its bricks
only and holds each against its sha256. HDF5's own fletcher32 is not used: a chunk that a disk lost and gave
back as zeros passes it.

A file is written under a temporary name; its `digest` attribute is written last; then it is synced and
renamed. So a file of the final name is a whole file, whatever was killed when.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from isal import isal_zlib

from benchmark.atomic import replacing
from benchmark.fingerprint import add, brick_digest, to_hex
from benchmark.problem import Problem

GZIP_LEVEL = 4
Box = tuple[int, int, int]
Slab = tuple[int, np.ndarray, np.ndarray]  # first plane; volume and label, uint8 (depth, H, W)


@dataclass(frozen=True)
class Header:
    """What a file says about itself."""

    problem: str  # Problem.digest()
    split: str
    sample: int
    side: int
    brick: int
    digest: str  # sum of the bricks' sha256, 64 hexadecimal digits
    class_counts: tuple[int, ...]  # voxels, background first


def sample_path(root: Path, split: str, sample: int) -> Path:
    """The file of a sample."""
    return Path(root) / split / f"{sample:05d}.h5"


def write_sample(path: Path, problem: Problem, split: str, sample: int, volume: np.ndarray, label: np.ndarray) -> None:
    """Store a whole sample, uint8 (D, H, W) each; see `write_slabs`."""
    b = problem.brick
    write_slabs(
        path, problem, split, sample, ((z, volume[z : z + b], label[z : z + b]) for z in range(0, len(label), b))
    )


def write_slabs(path: Path, problem: Problem, split: str, sample: int, slabs: Iterable[Slab]) -> Header:
    """Store a sample that comes in slabs of whole bricks' depth.

    Nothing of the final name exists until the whole file is on disk. Raises OSError when it can't be written.
    """
    with replacing(path) as temporary, h5py.File(temporary, "w", libver="latest", locking=False) as file:
        return fill(file, problem, split, sample, slabs)


def fill(file: h5py.File, problem: Problem, split: str, sample: int, slabs: Iterable[Slab]) -> Header:
    """Write datasets, then attributes, the digest last."""
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
    """Digest and class counts of a sample that comes in slabs; bricks' sha256 go into `bricks` if given."""
    counts, total, b, planes = np.zeros(problem.classes, np.int64), 0, problem.brick, 0
    for first, intensities, classes in slabs:
        planes += len(classes)
        foreground = np.bincount(classes.reshape(-1)[np.flatnonzero(classes != 0)], minlength=problem.classes)
        foreground[0] = classes.size - foreground.sum()
        counts += foreground
        digests = [d for _, d in digest_bricks(split, sample, (first, 0, 0), intensities, classes, b)]
        total = add(total, *digests)
        if bricks is not None:
            layer = b"".join(d.to_bytes(32, "big") for d in digests)
            bricks[first // b : (first + len(classes)) // b] = np.frombuffer(layer, np.uint8).reshape(
                -1, *bricks.shape[1:]
            )
    if planes != problem.side:
        raise ValueError(f"sample {sample} of {split}: found {planes} planes, wanted {problem.side}")
    return Header(problem.digest(), split, sample, problem.side, b, to_hex(total), tuple(counts.tolist()))


def digest_bricks(
    split: str, sample: int, origin: Box, volume: np.ndarray, label: np.ndarray, brick: int
) -> Iterator[tuple[Box, int]]:
    """(position, sha256) of the bricks of a brick-aligned box."""
    for z in range(0, volume.shape[0], brick):
        for y in range(0, volume.shape[1], brick):
            for x in range(0, volume.shape[2], brick):
                cut = np.s_[z : z + brick, y : y + brick, x : x + brick]
                position = ((origin[0] + z) // brick, (origin[1] + y) // brick, (origin[2] + x) // brick)
                yield position, brick_digest(split, sample, position, volume[cut], label[cut])


def read_box(path: Path, origin: Box = (0, 0, 0), shape: Box | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Volume and label of a box, uint8 (D, H, W) each; the whole sample by default.

    Reads the bricks that the box touches and no others, and checks each. Raises ValueError naming the file
    when it is missing, unfinished, truncated or corrupt.
    """
    with opened(path) as file:
        header = read_attributes(path, file)
        n, b = header.side, header.brick
        shape = (n, n, n) if shape is None else shape
        if any(o < 0 or s < 1 or o + s > n for o, s in zip(origin, shape, strict=True)):
            raise ValueError(f"{path}: found a box {tuple(shape)} at {tuple(origin)}, wanted one inside {n}^3 voxels")
        low = tuple(o // b * b for o in origin)
        high = tuple(-(-(o + s) // b) * b for o, s in zip(origin, shape, strict=True))
        stored = file["bricks"][tuple(slice(a // b, z // b) for a, z in zip(low, high, strict=True))]
        datasets = [(file[name], bool(file[name].compression)) for name in ("volume", "label")]
        volume, label = (np.empty([z - a for a, z in zip(low, high, strict=True)], np.uint8) for _ in range(2))
        for inside in np.ndindex(stored.shape[:3]):
            corner = tuple(a + i * b for a, i in zip(low, inside, strict=True))
            position = tuple(c // b for c in corner)
            bricks = [read_brick(*dataset, corner, b) for dataset in datasets]
            digest = brick_digest(header.split, header.sample, position, *bricks)
            if stored[inside].tobytes() != digest.to_bytes(32, "big"):
                raise ValueError(
                    f"{path}: brick {position} is corrupt: its bytes do not have the sha256 stored with them"
                )
            for whole, part in zip((volume, label), bricks, strict=True):
                whole[tuple(slice(i * b, (i + 1) * b) for i in inside)] = part
    crop = tuple(slice(o - a, o - a + s) for o, a, s in zip(origin, low, shape, strict=True))
    return volume[crop], label[crop]


def read_brick(dataset: h5py.Dataset, compressed: bool, corner: Box, brick: int) -> np.ndarray:
    """The brick whose first voxel is `corner`, uint8 (brick, brick, brick), past HDF5's own way to it.

    That way inflates with zlib, slower than ISA-L, and copies twice. Raises ValueError for bytes that are not
    a brick's.
    """
    skipped, stored = dataset.id.read_direct_chunk(corner)
    if compressed and not skipped:
        try:
            stored = isal_zlib.decompressobj().decompress(stored, brick**3 + 1)
        except isal_zlib.error as error:
            raise ValueError(f"the brick at {corner} does not inflate: {error}") from None
    if len(stored) != brick**3:
        raise ValueError(f"found {len(stored)} bytes, wanted a brick of {brick}^3")
    return np.frombuffer(stored, np.uint8).reshape(brick, brick, brick)


def read_slabs(path: Path, problem: Problem) -> Iterator[Slab]:
    """A stored sample a slab of one brick's depth at a time, so that no more need be in memory."""
    for first in range(0, problem.side, problem.brick):
        yield first, *read_box(path, (first, 0, 0), (problem.brick, problem.side, problem.side))


def read_header(path: Path) -> Header:
    """What a finished file says about itself. Raises ValueError naming the file otherwise."""
    with opened(path) as file:
        return read_attributes(path, file)


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """The file, open for reading; whatever HDF5 raises on it becomes a ValueError that names it."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            yield file
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, LookupError, RuntimeError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if str(path) in str(error):  # ours
            raise
        raise ValueError(f"{path}: truncated, corrupt or no sample of ours: {str(error)[:200]}") from None


def read_attributes(path: Path, file: h5py.File) -> Header:
    """The header of an open file, held against the file's own place."""
    if "digest" not in file.attrs:
        raise ValueError(f"{path}: unfinished: the file has no digest")
    a = file.attrs
    counts = tuple(int(c) for c in a["class_counts"])
    header = Header(a["problem"], a["split"], int(a["sample"]), int(a["side"]), int(a["brick"]), a["digest"], counts)
    if (header.split, f"{header.sample:05d}.h5") != (Path(path).parent.name, Path(path).name):
        raise ValueError(f"{path}: holds sample {header.sample} of {header.split}: the file was moved or renamed")
    if any(file[name].shape != (header.side,) * 3 for name in ("volume", "label")):
        raise ValueError(f"{path}: found a volume of {file['volume'].shape}, wanted {header.side}^3")
    return header
