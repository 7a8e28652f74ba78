"""Compute points of the attractor of two affine maps, by a chaos game whose walkers branch.

The results are the same bit by bit on every machine, since there are only element-wise float32 multiplications and
additions in a fixed order: no matmul, no einsum, no fused multiply-add, no libm.

The chaos game (Barnsley 1988) sends a walker through one of the maps, picked at random, and marks where it arrives. One
walker at a time is slow, and many walkers that each pick their own map must compute both maps. So walkers pick maps at
random only until their starting points no longer matter. From then on both maps are applied to every walker: if X is
distributed over the attractor like its measure, so are T0(X) and T1(X), T0(T0(X)), and so on. Walking this binary tree
depth first costs one map a point, keeps all arrays in cache, and marks voxels that lie close together one after the
other.
"""

from collections.abc import Iterator

import numpy as np

PARAMETERS = 12  # of a map: the matrix row by row, then the translation
STEPS = 64  # random steps of a walker before it branches: one bit of its word each
BLOCK = 1024  # walkers at most: many enough for NumPy to be efficient, few enough for cheap random steps


def by_columns(maps: np.ndarray) -> np.ndarray:
    """Return maps (2, 12) as (2, 4, 3, 1): the matrix's three columns and the translation, to broadcast over points."""
    columns = np.concatenate([maps[:, :9].reshape(2, 3, 3).transpose(0, 2, 1), maps[:, None, 9:]], axis=1)
    return np.ascontiguousarray(columns, np.float32)[..., None]


def apply(columns: np.ndarray, points: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None:
    """Compute out = ((a x + b y) + c z) + t in float32: columns (4, 3, 1) or (4, 3, n), the other arrays (3, n)."""
    a, b, c, t = columns
    x, y, z = points
    np.multiply(a, x, out=out)
    np.multiply(b, y, out=scratch)
    np.add(out, scratch, out=out)
    np.multiply(c, z, out=scratch)
    np.add(out, scratch, out=out)
    np.add(out, t, out=out)


def wander(maps: np.ndarray, walkers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the walkers are before and after their last random step: two arrays (3, n), float32.

    `maps` is (2, 12) float32, `walkers` (n,) uint64. Bit i of a walker's word picks the map of its step i.
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
    """Yield `count` points of the attractor in float32 blocks (3, n), where n is the number of walkers.

    A block is overwritten once the next one is asked for. Raises ValueError unless count / n is a power of two, at
    least 2.
    """
    before, last = wander(maps, walkers)
    n = len(walkers)
    doublings = (count // n).bit_length() - 1
    if doublings < 1 or n << doublings != count:
        raise ValueError(f"found {count} points for {n} walkers, wanted a power of two, at least 2, times the walkers")
    yield before
    yield last
    levels, scratch = np.empty((doublings, 3, n), np.float32), np.empty((3, n), np.float32)
    levels[0] = last
    yield from branch(by_columns(maps), levels, scratch, 1)


def branch(maps: np.ndarray, levels: np.ndarray, scratch: np.ndarray, depth: int) -> Iterator[np.ndarray]:
    """Yield the points below level `depth` - 1 of the tree, depth first."""
    if depth == len(levels):
        return
    for columns in maps:
        apply(columns, levels[depth - 1], levels[depth], scratch)
        yield levels[depth]
        yield from branch(maps, levels, scratch, depth + 1)


def walkers_for(count: int) -> int:
    """Return how many walkers make `count` points (a power of two, at least 32). Each of them branches."""
    return min(BLOCK, count // 16)
