"""Points of an attractor of two affine maps: a chaos game whose walkers branch.

Bit-identical everywhere: element-wise float32 multiplications and additions in a fixed order, nothing
else. No matmul, no einsum, no fused multiply-add, no libm.

The chaos game (Barnsley 1988) sends a walker through one of the maps, picked at random, and marks where
it arrives. One walker at a time is slow, and many walkers that each pick their own map must compute both.
So walkers pick maps one by one only until they have forgotten where they started; from then on every
walker takes *both* roads: if X is spread over the attractor like its measure, so are T0(X) and T1(X), and
T0(T0(X)), ... Walking that binary tree depth first costs one map a point, keeps all arrays in cache, and
marks voxels that lie close together one after the other.
"""

from collections.abc import Iterator, Sequence

import numpy as np

PARAMETERS = 12  # of a map: the matrix row by row, then the translation
STEPS = 64  # random steps of a walker before it branches: one bit of its word each
BLOCK = 1024  # walkers at most: enough for NumPy's calls to pay, few enough for their random steps to cost little


def by_columns(maps: np.ndarray) -> np.ndarray:
    """Maps (2, 12) as (2, 4, 3, 1): the matrix's three columns and the translation, to be broadcast over points."""
    columns = np.concatenate([maps[:, :9].reshape(2, 3, 3).transpose(0, 2, 1), maps[:, None, 9:]], axis=1)
    return np.ascontiguousarray(columns, np.float32)[..., None]


def apply(columns: np.ndarray, points: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None:
    """out = ((a x + b y) + c z) + t, all float32: columns (4, 3, 1) or (4, 3, n), the rest (3, n)."""
    a, b, c, t = columns
    x, y, z = points
    np.multiply(a, x, out=out)
    np.multiply(b, y, out=scratch)
    np.add(out, scratch, out=out)
    np.multiply(c, z, out=scratch)
    np.add(out, scratch, out=out)
    np.add(out, t, out=out)


def wander(maps: np.ndarray, walkers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the walkers are one step before their last, and at last: two arrays (3, n), float32.

    `maps` is (2, 12) float32, `walkers` (n,) uint64: bit i of a walker's word picks the map of its step i.
    """
    n = len(walkers)
    here, there, scratch = np.zeros((3, n), np.float32), np.empty((3, n), np.float32), np.empty((3, n), np.float32)
    first, second = by_columns(maps).view(np.int32)
    differ, picked = first ^ second, np.empty((4, 3, n), np.int32)
    steps = np.arange(STEPS, dtype=np.uint64)[:, None]
    masks = -((walkers >> steps) & np.uint64(1)).astype(np.int32)  # (STEPS, n): all bits set where it's the second map
    for mask in masks:
        np.bitwise_and(differ, mask, out=picked)  # a choice between two floats is one between their bits
        np.bitwise_xor(first, picked, out=picked)
        apply(picked.view(np.float32), here, there, scratch)
        here, there = there, here
    return there, here


def blocks(maps: np.ndarray, walkers: np.ndarray, count: int) -> Iterator[np.ndarray]:
    """`count` points of the attractor, in float32 blocks (3, n); a block is overwritten once the next is asked for.

    n is the number of walkers; count / n must be a power of two and at least 2.
    """
    return spread(maps, wander(maps, walkers), count)


def spread(maps: np.ndarray, ends: Sequence[np.ndarray], count: int) -> Iterator[np.ndarray]:
    """`blocks` of walkers that have wandered already: `ends` are their last two places."""
    before, last = ends
    n = last.shape[1]
    doublings = (count // n).bit_length() - 1
    if doublings < 1 or n << doublings != count:
        raise ValueError(f"found {count} points for {n} walkers, wanted a power of two, at least 2, times the walkers")
    yield before
    yield last
    levels, scratch = np.empty((doublings, 3, n), np.float32), np.empty((3, n), np.float32)
    levels[0] = last
    yield from branch(by_columns(maps), levels, scratch, 1)


def branch(maps: np.ndarray, levels: np.ndarray, scratch: np.ndarray, depth: int) -> Iterator[np.ndarray]:
    """The points below level `depth` - 1 of the tree, depth first."""
    if depth == len(levels):
        return
    for columns in maps:
        apply(columns, levels[depth - 1], levels[depth], scratch)
        yield levels[depth]
        yield from branch(maps, levels, scratch, depth + 1)


def walkers_for(count: int) -> int:
    """How many walkers make `count` (a power of two, at least 32) points: few at small counts, so that they branch."""
    return min(BLOCK, count // 16)
