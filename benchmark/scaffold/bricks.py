"""Boxes of a sample, put together from its file's bricks: what a box touches, where that is, and reading it past HDF5.

One thread reads, so that the kernel's count of its bytes is whole; the others inflate, check and copy what it has read.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from h5py import h5d
from zlib_ng import zlib_ng

from benchmark.log import open_regular

WORTH_A_THREAD = 1 << 17  # bytes of a volume's bricks: handing them over takes 0.05 ms, hashing them and labels 0.15 ms
MOST_THREADS = 4  # beyond that the thread that reads is what the others wait for
AT_ONCE = 1 << 23  # bytes of a volume's bricks that a thread has at a time
Voxels = tuple[int, int, int]  # z, y, x: a corner or a shape
Arrays = tuple[np.ndarray, np.ndarray]  # volume and label
Check = Callable[[int, np.ndarray, np.ndarray], None]  # of a brick: its number in the box, volume, label


class Cut(NamedTuple):
    """The whole bricks that a box touches: voxels `low` to `high`, multiples of `brick`; `box` is the box in them."""

    low: Voxels
    high: Voxels
    brick: int
    box: tuple[slice, ...]

    @property
    def shape(self) -> Voxels:
        """Of the whole bricks together."""
        return tuple(z - a for a, z in zip(self.low, self.high, strict=True))

    def corners(self) -> Iterator[Voxels]:
        """The first voxel of every brick, row by row."""
        return product(*(range(a, z, self.brick) for a, z in zip(self.low, self.high, strict=True)))

    def positions(self) -> Iterator[Voxels]:
        """Of every brick in the sample, in units of bricks, row by row."""
        return product(*(range(a // self.brick, z // self.brick) for a, z in zip(self.low, self.high, strict=True)))


def touched(path: Path, side: int, brick: int, origin: Voxels, shape: Voxels) -> Cut:
    """The bricks that a box touches. Raises ValueError for a box that is not inside the sample."""
    if any(o < 0 or s < 1 or o + s > side for o, s in zip(origin, shape, strict=True)):
        raise ValueError(f"{path}: found a box {tuple(shape)} at {tuple(origin)}, wanted one inside {side}^3 voxels")
    low = tuple(o // brick * brick for o in origin)
    high = tuple(-(-(o + s) // brick) * brick for o, s in zip(origin, shape, strict=True))
    return Cut(low, high, brick, tuple(slice(o - a, o - a + s) for o, a, s in zip(origin, low, shape, strict=True)))


def find_bricks(volume: h5d.DatasetID, label: h5d.DatasetID, cut: Cut) -> np.ndarray:
    """Where in the file a box's bricks lie, int64 (bricks, volume and label, offset and bytes): HDF5 is asked where,
    and not for the bytes, which it would inflate with zlib and copy twice."""
    found = [[d.get_chunk_info_by_coord(corner) for d in (volume, label)] for corner in cut.corners()]
    return np.array([[(chunk.byte_offset, chunk.size) for chunk in pair] for pair in found], np.int64)


def read_bricks(path: Path, cut: Cut, places: np.ndarray, check: Check | None = None) -> Arrays:
    """Volume and label of a box, uint8 (D, H, W) each, from its bricks, each of which `check` may see first, in any
    thread. Of what checks raise, the first brick's is raised. Raises ValueError for bytes that are not a brick's."""
    volume, label = np.empty((2, *cut.shape), np.uint8)
    shape, corners = (cut.brick,) * 3, [tuple(np.subtract(corner, cut.low).tolist()) for corner in cut.corners()]

    def finish(bricks: range, chunks: Sequence[memoryview]) -> None:
        for number, *pair in zip(bricks, chunks[::2], chunks[1::2], strict=True):
            intensities, classes = (inflate(chunk, cut.brick**3).reshape(shape) for chunk in pair)
            if check:
                check(number, intensities, classes)
            at = tuple(slice(first, first + cut.brick) for first in corners[number])
            volume[at], label[at] = intensities, classes

    threads = min(cores(), MOST_THREADS) if volume.nbytes >= WORTH_A_THREAD else 1
    with open_regular(path) as file:
        places = np.minimum(places, (np.iinfo(np.int64).max, cut.brick**3))  # no chunk is longer than its brick
        expect(file.fileno(), places)
        for turn in turns(len(places), threads, max(1, AT_ONCE // cut.brick**3)):
            with beside() as hand_over:
                for part in turn[:-1]:
                    hand_over(finish, part, fetch(file.fileno(), places[part.start : part.stop]))
                finish(turn[-1], fetch(file.fileno(), places[turn[-1].start : turn[-1].stop]))
    return volume[cut.box], label[cut.box]


def turns(count: int, threads: int, most: int) -> Iterator[list[range]]:
    """`count` bricks in turns; of each turn a part a thread, as equal as can be and of no more than `most`."""
    rounds = -(-count // (threads * most))
    edges = np.linspace(0, count, min(count, rounds * threads) + 1).astype(int).tolist()
    parts = [range(a, z) for a, z in pairwise(edges)]
    return (parts[first : first + threads] for first in range(0, len(parts), threads))


@contextmanager
def beside() -> Iterator[Callable[..., None]]:
    """Hands calls to other threads. What the first of them raises is raised at the end, also where the body itself
    raises: its bricks come later."""
    calls = []
    try:
        yield lambda *call: calls.append(pool(os.getpid()).submit(*call))
    finally:
        for raised in [call.exception() for call in calls]:  # all have ended before this returns
            if raised:
                raise raised


@lru_cache(maxsize=1)
def pool(process: int) -> ThreadPoolExecutor:
    """The threads of a process: a forked one has none of its parent's."""
    return ThreadPoolExecutor(MOST_THREADS - 1, f"bricks of {process}")


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def adjacent(places: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Chunks that lie one behind another in the file, as one: offset, bytes, and how many they are. In order."""
    offset = size = count = 0
    for at, length in places.reshape(-1, 2).tolist():
        if count and at == offset + size:
            size, count = size + length, count + 1
            continue
        if count:
            yield offset, size, count
        offset, size, count = at, length, 1
    if count:
        yield offset, size, count


def expect(descriptor: int, places: np.ndarray) -> None:
    """Have the kernel fetch all chunks now, where they are not in memory: a disk takes several requests at a time."""
    if hasattr(os, "posix_fadvise"):
        for kind in (0, 1):
            for offset, size, _ in adjacent(places[:, kind]):
                os.posix_fadvise(descriptor, offset, size, os.POSIX_FADV_WILLNEED)


def fetch(descriptor: int, places: np.ndarray) -> list[memoryview]:
    """The chunks' bytes, volume and label by turns. Neighbours come in one request. Raises ValueError where the file
    ends before them."""
    found: tuple[list[memoryview], list[memoryview]] = ([], [])
    for kind, chunks in enumerate(found):
        sizes = iter(places[:, kind, 1].tolist())
        for offset, size, count in adjacent(places[:, kind]):
            read = memoryview(os.pread(descriptor, size, offset))
            for _ in range(count):
                length = next(sizes)
                if len(read) < length:
                    raise ValueError(f"found {len(read)} bytes, wanted a brick of {length}")
                chunks.append(read[:length])
                read = read[length:]
    return [chunk for pair in zip(*found, strict=True) for chunk in pair]


def inflate(chunk: memoryview, size: int) -> np.ndarray:
    """A brick of `size` bytes from its chunk: one as long as the brick isn't deflated.

    A label is mostly background: zlib-ng takes 1/15 of zlib's time for it, ISA-L 1/2. Raises ValueError for bytes that
    are not a brick's.
    """
    data = chunk
    if len(chunk) < size:
        try:
            data = zlib_ng.decompressobj().decompress(chunk, size + 1)
        except zlib_ng.error as error:
            raise ValueError(f"a brick does not inflate: {error}") from None
    if len(data) != size:
        raise ValueError(f"found {len(data)} bytes, wanted a brick of {size}")
    return np.frombuffer(data, np.uint8)
