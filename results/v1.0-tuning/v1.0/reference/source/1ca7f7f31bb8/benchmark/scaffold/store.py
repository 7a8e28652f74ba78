"""Storage: one HDF5 file a sample, DIR/<split>/<id>.h5.

Datasets, all chunked by bricks: `volume` uint8 without any filter; `label` uint8, gzip; `bricks`, the sha256
of every brick (as in benchmark/fingerprint.py), uint8 (bricks z, y, x, 32). Reading a box reads its bricks
only and holds each against its sha256. HDF5's own fletcher32 is not used: a chunk that a disk lost and gave
back as zeros passes it.

A file is written under a temporary name; its `digest` attribute is written last; then it is synced and
renamed. So a file of the final name is a whole file, whatever was killed when.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from h5py import h5a, h5d
from zlib_ng import zlib_ng

from benchmark.atomic import replacing
from benchmark.fingerprint import add, brick_digest, brick_digests, to_hex
from benchmark.hdf5 import named, opened, writing
from benchmark.hdf5_facts import attributes, data_of, value_of
from benchmark.log import open_regular
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import occupied_voxels

GZIP_LEVEL = 4
TEXTS, NUMBERS = ("problem", "split", "digest"), ("sample", "side", "brick")  # attributes
WORTH_A_THREAD = 1 << 20  # bytes of a box: starting one takes 0.1 ms, hashing those 0.6 ms
MOST_CLASSES = 256  # what a byte tells apart
Voxels = tuple[int, int, int]  # z, y, x: a corner or a shape
Arrays = tuple[np.ndarray, np.ndarray]  # volume and label
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
    with replacing(path) as temporary, writing(temporary, libver="latest") as file:
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


class Cut(NamedTuple):
    """The whole bricks that a box touches: voxels `low` to `high`, multiples of `brick`; `box` is the box in them."""

    low: Voxels
    high: Voxels
    brick: int
    box: tuple[slice, ...]

    def corners(self) -> Iterator[Voxels]:
        """The first voxel of every brick, row by row."""
        return product(*(range(a, z, self.brick) for a, z in zip(self.low, self.high, strict=True)))


class Proved(NamedTuple):
    """A box that was held against its sha256: uint8 (D, H, W) each; the sum of the digests of the bricks that it
    touches; and where in the file those lie, int64 (bricks, volume and label, offset and bytes)."""

    volume: np.ndarray
    label: np.ndarray
    digest: int
    places: np.ndarray


def read_box(path: Path, origin: Voxels = (0, 0, 0), shape: Voxels | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Volume and label of a box, uint8 (D, H, W) each; the whole sample by default.

    Reads the bricks that the box touches and no others, and checks each. Raises ValueError naming the file
    when it is missing, unfinished, truncated or corrupt.
    """
    return prove_box(path, origin, shape)[:2]


def prove_box(path: Path, origin: Voxels = (0, 0, 0), shape: Voxels | None = None) -> Proved:
    """`read_box`, and what it saw. Every brick is hashed once, for the check and for the sum."""
    digests = []
    with opened(path) as file:
        header = read_attributes(path, file)
        b = header.brick
        cut = touched(path, header.side, b, origin, shape or (header.side,) * 3)
        counts = tuple((z - a) // b for a, z in zip(cut.low, cut.high, strict=True))
        stored = data_of(file, "bricks").read((*(a // b for a in cut.low), 0), (*counts, 32))
        wanted = iter(stored.reshape(-1, 32))

        def check(corner: Voxels, volume: np.ndarray, label: np.ndarray) -> None:
            position = (corner[0] // b, corner[1] // b, corner[2] // b)
            digests.append(brick_digest(header.split, header.sample, position, volume, label))
            if next(wanted).tobytes() != digests[-1].to_bytes(32, "big"):
                raise ValueError(
                    f"{path}: brick {position} is corrupt: its bytes do not have the sha256 stored with them"
                )

        places = find_bricks(file, cut)
        volume, label = read_bricks(path, cut, places, check)
    return Proved(volume, label, add(*digests), places)


def read_again(path: Path, side: int, brick: int, origin: Voxels, shape: Voxels, places: np.ndarray) -> Arrays:
    """`read_box` for who has proved the same box: from the same `places`, past HDF5, and held against nothing.

    Who calls it knows a checksum of what it must give. Raises ValueError naming the file where no bricks are.
    """
    with named(path):
        return read_bricks(path, touched(path, side, brick, origin, shape), places)


def touched(path: Path, side: int, brick: int, origin: Voxels, shape: Voxels) -> Cut:
    """The bricks that a box touches. Raises ValueError for a box that is not inside the sample."""
    if any(o < 0 or s < 1 or o + s > side for o, s in zip(origin, shape, strict=True)):
        raise ValueError(f"{path}: found a box {tuple(shape)} at {tuple(origin)}, wanted one inside {side}^3 voxels")
    low = tuple(o // brick * brick for o in origin)
    high = tuple(-(-(o + s) // brick) * brick for o, s in zip(origin, shape, strict=True))
    return Cut(low, high, brick, tuple(slice(o - a, o - a + s) for o, a, s in zip(origin, low, shape, strict=True)))


def find_bricks(file: h5py.File, cut: Cut) -> np.ndarray:
    """`Proved.places`: HDF5 is asked where, and not for the bytes, which it would inflate with zlib and copy twice."""
    datasets = [h5d.open(file.id, name) for name in (b"volume", b"label")]
    found = [[d.get_chunk_info_by_coord(corner) for d in datasets] for corner in cut.corners()]
    return np.array([[(chunk.byte_offset, chunk.size) for chunk in pair] for pair in found], np.int64)


def read_bricks(
    path: Path, cut: Cut, places: np.ndarray, check: Callable[[Voxels, np.ndarray, np.ndarray], None] | None = None
) -> Arrays:
    """Volume and label of a box, put together from its bricks, each of which `check` may see first, in order."""
    volumes, labels = np.empty((2, len(places), cut.brick, cut.brick, cut.brick), np.uint8)
    with open_regular(path) as file, beside(check if volumes.nbytes >= WORTH_A_THREAD else None) as checked:
        for corner, *bricks, chunks in zip(cut.corners(), volumes, labels, places.tolist(), strict=True):
            for brick, (offset, size) in zip(bricks, chunks, strict=True):
                read_brick(file.fileno(), offset, size, brick)
            if checked:
                checked(corner, *bricks)
            elif check:
                check(corner, *bricks)
    return join(volumes, cut), join(labels, cut)


@contextmanager
def beside(check: Callable[..., None] | None) -> Iterator[Callable[..., object] | None]:
    """`check`, called by a thread, call after call: SHA-256 lets the next brick be read meanwhile. What it raises first
    is raised at the end, also where reading fails later. None where there is none, or no second core."""
    if check is None or cores() < 2:
        yield None
        return
    with ThreadPoolExecutor(1, "check") as thread:
        calls = []
        try:
            yield lambda *arguments: calls.append(thread.submit(check, *arguments))
        finally:
            for call in calls:
                call.result()


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_brick(descriptor: int, offset: int, size: int, brick: np.ndarray) -> None:
    """A chunk of a file, into `brick`. One as long as the brick isn't deflated.

    A label is mostly background: zlib-ng takes 1/15 of zlib's time for it, ISA-L 1/2. Raises ValueError for bytes that
    are not a brick's.
    """
    if size >= brick.nbytes:
        found = os.preadv(descriptor, [brick], offset)
    else:
        try:
            data = zlib_ng.decompressobj().decompress(os.pread(descriptor, size, offset), brick.nbytes + 1)
        except zlib_ng.error as error:
            raise ValueError(f"a brick does not inflate: {error}") from None
        found = len(data)
        if found == brick.nbytes:
            brick[...] = np.frombuffer(data, np.uint8).reshape(brick.shape)
    if found != brick.nbytes:
        raise ValueError(f"found {found} bytes, wanted a brick of {brick.nbytes}")


def join(bricks: np.ndarray, cut: Cut) -> np.ndarray:
    """(bricks, brick, brick, brick), row by row -> the box (D, H, W)."""
    d, h, w = ((z - a) // cut.brick for a, z in zip(cut.low, cut.high, strict=True))
    rows = bricks.reshape(d, h, w, *bricks.shape[1:]).transpose(0, 3, 1, 4, 2, 5)  # (d, brick, h, brick, w, brick)
    return rows.reshape(d * cut.brick, h * cut.brick, w * cut.brick)[cut.box]


def read_slabs(path: Path, problem: Problem) -> Iterator[Slab]:
    """A stored sample a slab of one brick's depth at a time, so that no more need be in memory."""
    for first in range(0, problem.side, problem.brick):
        yield first, *read_box(path, (first, 0, 0), (problem.brick, problem.side, problem.side))


def read_header(path: Path) -> Header:
    """What a finished file says about itself. Raises ValueError naming the file otherwise."""
    with opened(path) as file:
        return read_attributes(path, file)


def read_attributes(path: Path, file: h5py.File) -> Header:
    """The header of an open file, held against the file's own place."""
    if not h5a.exists(file.id, b"digest"):
        raise ValueError(f"{path}: unfinished: the file has no digest")
    found = attributes(file, (*TEXTS, *NUMBERS, "class_counts"))
    sizes = {name: attribute.shape for name, attribute in found.items()}
    if any(sizes[name] != () for name in (*TEXTS, *NUMBERS)) or len(sizes["class_counts"]) != 1:
        raise ValueError(
            f"{path}: found attributes of shapes {sizes}, wanted single values, and a list of class_counts"
        )
    if sizes["class_counts"][0] > MOST_CLASSES:
        raise ValueError(f"{path}: found {sizes['class_counts'][0]} class_counts, wanted at most {MOST_CLASSES}")
    a = {name: value_of(attribute) for name, attribute in found.items()}
    for name in TEXTS:
        if type(a[name]) is not str:
            raise ValueError(f"{path}: {name}: found {a[name]!r:.80}, wanted text")
    counts = tuple(int(c) for c in a["class_counts"])
    header = Header(
        *(a[name] for name in ("problem", "split")), *(int(a[name]) for name in NUMBERS), a["digest"], counts
    )
    if (header.split, f"{header.sample:05d}.h5") != (Path(path).parent.name, Path(path).name):
        raise ValueError(f"{path}: holds sample {header.sample} of {header.split}: the file was moved or renamed")
    for name in ("volume", "label"):
        data = data_of(file, name)
        shape, brick = data.shape, data.chunks
        if (shape, brick) != ((header.side,) * 3, (header.brick,) * 3) or header.side % header.brick:
            raise ValueError(
                f"{path}: found a {name} of {shape} in bricks of {brick}, wanted {header.side}^3 in {header.brick}^3"
            )
        if data.dtype != np.uint8:
            raise ValueError(f"{path}: found a {name} of {data.dtype}, wanted bytes")
    layers = header.side // header.brick
    wanted, bricks = (layers, layers, layers, 32), data_of(file, "bricks")
    if bricks.shape != wanted or bricks.dtype != np.uint8 or bricks.chunks:
        found = f"{bricks.dtype} {bricks.shape}{f' in chunks of {bricks.chunks}' if bricks.chunks else ''}"
        raise ValueError(f"{path}: bricks: found {found}, wanted uint8 {wanted}, a sha256 a brick, as they are")
    return header
