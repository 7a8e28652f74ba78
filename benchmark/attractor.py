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

from collections.abc import Iterator

import numpy as np

PARAMETERS = 12  # of a map: the matrix row by row, then the translation
STEPS = 64  # random steps of a walker before it branches: one bit of its word each
BLOCK = 4096  # walkers at most: the arrays of one step stay in a core's second-level cache


def apply(parameters: np.ndarray, points: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None:
    """out = A points + t, all float32: parameters (12,) or (12, n), points and out (3, n), scratch (n,)."""
    x, y, z = points
    for row in range(3):
        a, b, c, t = (parameters[i] for i in (3 * row, 3 * row + 1, 3 * row + 2, 9 + row))
        line = out[row]
        np.multiply(a, x, out=line)
        np.multiply(b, y, out=scratch)
        np.add(line, scratch, out=line)
        np.multiply(c, z, out=scratch)
        np.add(line, scratch, out=line)
        np.add(line, t, out=line)


def wander(maps: np.ndarray, walkers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the walkers are one step before their last, and at last: two arrays (3, n), float32.

    `maps` is (2, 12) float32, `walkers` (n,) uint64: bit i of a walker's word picks the map of its step i.
    """
    n = len(walkers)
    here, there, scratch = np.zeros((3, n), np.float32), np.empty((3, n), np.float32), np.empty(n, np.float32)
    table = np.ascontiguousarray(maps.T)  # (12, 2)
    for step in range(STEPS):
        bits = (walkers >> np.uint64(step)) & np.uint64(1)
        apply(table.take(bits.astype(np.intp), axis=1), here, there, scratch)
        here, there = there, here
    return there, here


def blocks(maps: np.ndarray, walkers: np.ndarray, count: int) -> Iterator[np.ndarray]:
    """`count` points of the attractor, in float32 blocks (3, n); a block is overwritten once the next is asked for.

    n is the number of walkers; count / n must be a power of two and at least 2.
    """
    n = len(walkers)
    doublings = (count // n).bit_length() - 1
    if doublings < 1 or n << doublings != count:
        raise ValueError(f"found {count} points for {n} walkers, wanted a power of two, at least 2, times the walkers")
    before, last = wander(maps, walkers)
    yield before
    yield last
    levels, scratch = np.empty((doublings, 3, n), np.float32), np.empty(n, np.float32)
    levels[0] = last
    yield from branch([list(m) for m in maps], levels, scratch, 1)


def branch(maps: list, levels: np.ndarray, scratch: np.ndarray, depth: int) -> Iterator[np.ndarray]:
    """The points below level `depth` - 1 of the tree, depth first."""
    if depth == len(levels):
        return
    for parameters in maps:
        apply(parameters, levels[depth - 1], levels[depth], scratch)
        yield levels[depth]
        yield from branch(maps, levels, scratch, depth + 1)


def walkers_for(count: int) -> int:
    """How many walkers make `count` (a power of two, at least 8) points: few at small counts, so that they branch."""
    return min(BLOCK, count // 4)
