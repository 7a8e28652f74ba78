"""Read boxes of a sample from its file's bricks: which bricks a box touches, where in the file they are, and reading
them without HDF5.

One thread reads, so that the kernel's counter of that thread covers all bytes. Others inflate, check and copy them.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from h5py import h5d
from zlib_ng import zlib_ng

from benchmark.launch import usable_cores
from benchmark.log import open_regular

WORTH_A_THREAD = 1 << 20  # bytes of a volume's bricks: hashing them takes 0.6 ms, handing them over up to 0.1 ms
MOST_THREADS = 4  # more would only wait for the thread that reads
AT_ONCE = 1 << 23  # bytes of a volume's bricks that a thread has at a time
Voxels = tuple[int, int, int]  # z, y, x: a corner or a shape
Arrays = tuple[np.ndarray, np.ndarray]  # volume and label
Chunk = tuple[int, int]  # of a brick in its file: offset, bytes
Check = Callable[[int, np.ndarray, np.ndarray], None]  # of a brick: its number in the box, volume, label


class Cut(NamedTuple):
    """The bricks that a box touches: voxels `low` to `high`, multiples of `brick`, and the slices `box` in them."""

    low: Voxels
    high: Voxels
    brick: int
    box: tuple[slice, ...]

    @property
    def shape(self) -> Voxels:
        """The shape of the whole bricks together."""
        return tuple(z - a for a, z in zip(self.low, self.high, strict=True))

    def corners(self) -> Iterator[Voxels]:
        """Yield the first voxel of every brick, row by row."""
        return product(*(range(a, z, self.brick) for a, z in zip(self.low, self.high, strict=True)))

    def positions(self) -> Iterator[Voxels]:
        """Yield every brick's position in the sample, in units of bricks, row by row."""
        return product(*(range(a // self.brick, z // self.brick) for a, z in zip(self.low, self.high, strict=True)))


def touched(path: Path, side: int, brick: int, origin: Voxels, shape: Voxels) -> Cut:
    """Return the bricks that a box touches. Raises ValueError for a box that is not inside the sample."""
    if any(o < 0 or s < 1 or o + s > side for o, s in zip(origin, shape, strict=True)):
        raise ValueError(f"{path}: found a box {tuple(shape)} at {tuple(origin)}, wanted one inside {side}^3 voxels")
    low = tuple(o // brick * brick for o in origin)
    high = tuple(-(-(o + s) // brick) * brick for o, s in zip(origin, shape, strict=True))
    return Cut(low, high, brick, tuple(slice(o - a, o - a + s) for o, a, s in zip(origin, low, shape, strict=True)))


def find_bricks(volume: h5d.DatasetID, label: h5d.DatasetID, cut: Cut) -> np.ndarray:
    """Return where in the file a box's bricks are, int64 (bricks, volume and label, offset and bytes). HDF5 gives the
    places only: if it read the bytes, it would inflate them with zlib and copy them twice."""
    found = [[d.get_chunk_info_by_coord(corner) for d in (volume, label)] for corner in cut.corners()]
    return np.array([[(chunk.byte_offset, chunk.size) for chunk in pair] for pair in found], np.int64)


def read_bricks(path: Path, cut: Cut, places: np.ndarray, check: Check | None = None) -> Arrays:
    """Return volume and label of a box, uint8 (D, H, W) each, read from its bricks.

    `check` is called for each brick, in any thread; of the errors of several bricks, the first brick's is raised.
    Raises ValueError for bytes that are not a brick's.
    """
    size, shape = cut.brick**3, (cut.brick,) * 3
    volume, label = np.empty((2, *cut.shape), np.uint8)
    boxes = [tuple(slice(n, n + cut.brick) for n in at) for at in product(*(range(0, n, cut.brick) for n in cut.shape))]
    chunks = [(at, min(length, size)) for at, length in places.reshape(-1, 2).tolist()]  # none is longer than a brick

    def finish(part: range, found: Sequence[memoryview]) -> None:
        for number, *pair in zip(part, found[::2], found[1::2], strict=True):
            intensities, classes = (inflate(chunk, size).reshape(shape) for chunk in pair)
            if check:
                check(number, intensities, classes)
            volume[boxes[number]], label[boxes[number]] = intensities, classes

    threads = min(usable_cores(), MOST_THREADS) if check and volume.nbytes >= WORTH_A_THREAD else 1
    with open_regular(path) as file:
        expect(file.fileno(), chunks)
        for turn in turns(len(boxes), threads, max(1, AT_ONCE // size)):
            with beside() as hand_over:
                for part in turn:
                    found = fetch(file.fileno(), chunks[2 * part.start : 2 * part.stop])
                    act = finish if part is turn[-1] else partial(hand_over, finish)
                    act(part, found)
    return volume[cut.box], label[cut.box]


def turns(count: int, threads: int, most: int) -> Iterator[list[range]]:
    """Deal `count` bricks out: yield turns, each with one range of bricks for every thread. The ranges are as equal as
    possible and have at most `most` bricks."""
    parts = min(count, -(-count // (threads * most)) * threads)
    edges = [count * n // parts for n in range(parts + 1)]
    ranges = [range(a, z) for a, z in pairwise(edges)]
    return (ranges[first : first + threads] for first in range(0, parts, threads))


@contextmanager
def beside() -> Iterator[Callable[..., None]]:
    """Yield a function that runs a call in another thread. At the end, the error of the first failed call is raised. It
    takes precedence over an error of the body, whose bricks come later."""
    calls = []
    try:
        yield lambda *call: calls.append(pool(os.getpid()).submit(*call))
    finally:
        for raised in [call.exception() for call in calls]:  # all have ended before this returns
            if raised:
                raise raised


@lru_cache(maxsize=1)
def pool(process: int) -> ThreadPoolExecutor:
    """Return the threads of a process, by its number: a forked process has none of its parent's threads."""
    return ThreadPoolExecutor(MOST_THREADS - 1, f"bricks of {process}")


def adjacent(chunks: Sequence[Chunk]) -> Iterator[tuple[int, int, int]]:
    """Join chunks that are adjacent in the file: yield offset, bytes and number of chunks of each group, in order."""
    start = stop = count = 0
    for offset, size in chunks:
        if offset != stop or not count:
            if count:
                yield start, stop - start, count
            start, stop, count = offset, offset, 0
        stop, count = stop + size, count + 1
    if count:
        yield start, stop - start, count


def expect(descriptor: int, chunks: Sequence[Chunk]) -> None:
    """Ask the kernel to fetch all chunks that are not in memory, since a disk serves several requests at a time.
    Volumes and labels alternate in `chunks`."""
    if hasattr(os, "posix_fadvise"):
        for kind in (0, 1):
            for offset, size, _ in adjacent(chunks[kind::2]):
                os.posix_fadvise(descriptor, offset, size, os.POSIX_FADV_WILLNEED)


def fetch(descriptor: int, chunks: Sequence[Chunk]) -> list[memoryview]:
    """Return the chunks' bytes in order; volumes and labels alternate. Adjacent chunks are read in one request. Raises
    ValueError where the file ends too early."""
    found: list[memoryview] = [memoryview(b"")] * len(chunks)
    for kind in (0, 1):
        number = kind
        for offset, size, count in adjacent(chunks[kind::2]):
            read, at = memoryview(os.pread(descriptor, size, offset)), 0
            for _ in range(count):
                length = chunks[number][1]
                found[number] = read[at : at + length]
                if len(found[number]) < length:
                    raise ValueError(f"found {len(found[number])} bytes, wanted a brick of {length}")
                number, at = number + 2, at + length
    return found


def inflate(chunk: memoryview, size: int) -> np.ndarray:
    """Return a brick of `size` bytes from its chunk. A chunk of `size` bytes is not compressed.

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


def occupied_voxels(label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat indices, in order, and the classes of a label's voxels that are not background."""
    flat = label.reshape(-1)
    eights = np.flatnonzero(flat.view(np.uint64) != 0)  # few are: eight voxels are looked at together
    near = flat.reshape(-1, 8)[eights]
    row, column = np.nonzero(near)
    return eights[row] * 8 + column, near[row, column]
