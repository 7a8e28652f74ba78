"""Volumes: which fractals a sample overlays, where, and what its voxels look like.

Everything follows from the problem and the sample's id, bit by bit, wherever it is computed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmark import draw
from benchmark.scaffold import attractor
from benchmark.scaffold.category import FULL, VARIANTS, extremes, instance_maps, load_categories, reference_walkers
from benchmark.scaffold.problem import Intensity, Problem

MARGIN = np.float32(1 / 64)  # of the extent: room for points beyond those that measured the bounding box
CHUNK = 1 << 16  # voxels


@dataclass(frozen=True)
class Fractal:
    """One fractal of a sample. `size` (greatest extent) and `origin` (z, y, x) are in voxels."""

    category: int
    variant: int
    size: int
    origin: tuple[int, int, int]
    brightness: int  # added to the category's level


@lru_cache(maxsize=4)
def assignment(problem: Problem) -> list[tuple[int, int]]:
    """(category, variant) of every fractal of the problem, sample after sample: each instance exactly once.

    The base is the last instance to be used: with 144 instances of a category, its variants alone.
    """
    pool = []
    for category in range(problem.categories):
        raw = draw.words(problem.data_seed, draw.INSTANCES, category, count=VARIANTS)
        variants = [1 + i for i in draw.shuffled(raw)] + [0]
        pool += [(category, variant) for variant in variants[: problem.instances]]
    raw = draw.words(problem.data_seed, draw.ASSIGNMENT, count=len(pool))
    return [pool[i] for i in draw.shuffled(raw)]


def fractals(problem: Problem, sample: int) -> list[Fractal]:
    """The fractals of a sample in the order in which they are overlaid: later ones cover earlier ones."""
    placed = []
    for index in range(problem.fractals):
        category, variant = assignment(problem)[sample * problem.fractals + index]
        raw = draw.words(problem.data_seed, draw.PLACEMENT, sample, index, count=5)
        size = problem.side * draw.between(raw[0], *problem.size) // 256
        origin = tuple(draw.between(w, 0, problem.side - size) for w in raw[1:4])
        jitter = draw.between(raw[4], -problem.intensity.jitter, problem.intensity.jitter)
        placed.append(Fractal(category, variant, size, origin, jitter))
    return placed


def mark(problem: Problem, sample: int, index: int, fractal: Fractal, grid: np.ndarray) -> None:
    """Write `index` + 1 into the voxels of `grid`, uint8 (D, H, W), that the fractal occupies."""
    maps = instance_maps(load_categories(problem.categories)[fractal.category], fractal.variant)
    measuring, count = reference_walkers(), attractor.walkers_for(problem.points)
    walkers = draw.words(problem.data_seed, draw.WALKERS, sample, index, count=count)
    ends = np.stack(attractor.wander(maps, np.concatenate([measuring, walkers])))  # (2, 3, both): at once is faster
    low, high = extremes(attractor.spread(maps, ends[..., : len(measuring)], FULL))
    extent = (high - low).max() * (1 + 2 * MARGIN)
    corner = (low + high) * np.float32(0.5) - extent * np.float32(0.5)  # of a cube around the fractal
    scale = np.float32(fractal.size) / extent
    flat, side = grid.reshape(-1), problem.side
    scaled, cell = np.empty((3, count), np.float32), np.empty((3, count), np.int64)
    for block in attractor.spread(maps, ends[..., len(measuring) :], problem.points):
        np.subtract(block, corner[:, None], out=scaled)
        np.multiply(scaled, scale, out=scaled)
        np.copyto(cell, scaled, casting="unsafe")  # towards zero
        np.clip(cell, 0, fractal.size - 1, out=cell)  # the rare point beyond the margin
        z, y, x = cell
        z += fractal.origin[0]
        z *= side
        z += y
        z += fractal.origin[1]
        z *= side
        z += x
        z += fractal.origin[2]
        flat[z] = index + 1


def occupancy(problem: Problem, sample: int) -> np.ndarray:
    """Which fractal occupies each voxel, counted from 1, 0 where none: uint8 (D, H, W)."""
    grid = np.zeros((problem.side,) * 3, dtype=np.uint8)
    for index, fractal in enumerate(fractals(problem, sample)):
        mark(problem, sample, index, fractal, grid)
    return grid


def noise(raw: np.ndarray, intensity: Intensity) -> np.ndarray:
    """Noise from words: 16 of a word's bits a term, so up to four terms. int32, one value a word."""
    width = 2 * intensity.noise + 1
    total = np.zeros(len(raw), dtype=np.int32)
    for term in range(intensity.terms):
        part = (raw >> np.uint64(16 * term)) & np.uint64(0xFFFF)
        total += ((part * np.uint64(width)) >> np.uint64(16)).astype(np.int32) - intensity.noise
    return total


def slab_intensities(problem: Problem, sample: int, first: int, owner: np.ndarray) -> np.ndarray:
    """Intensities, uint8, of the slab `owner` (D, H, W) of `occupancy` that starts at plane `first`.

    Drawn a slab at a time, so that no more than a slab need be in memory: a slab is one brick deep.
    """
    intensity, seed, slab = problem.intensity, problem.data_seed, first // problem.brick
    raw = draw.to_bytes(draw.words(seed, draw.BACKGROUND, sample, slab, count=-(-owner.size // 8)))
    voxels = background(raw[: owner.size], intensity.background)
    occupied = np.flatnonzero(owner != 0)
    levels = np.array([0] + [intensity.levels[f.category] + f.brightness for f in fractals(problem, sample)], np.int32)
    values = levels[owner.reshape(-1)[occupied]]
    values += noise(draw.words(seed, draw.FOREGROUND, sample, slab, count=len(occupied)), intensity)
    voxels[occupied] = np.clip(values, 0, 255).astype(np.uint8)
    return voxels.reshape(owner.shape)


def background(raw: np.ndarray, most: int) -> np.ndarray:
    """Bytes, uint8 (n,), as integers in [0, most]: the high byte of byte * (most + 1)."""
    voxels = np.empty(len(raw), np.uint8)
    for start in range(0, len(raw), CHUNK):  # so that what lies between stays in cache
        wide = raw[start : start + CHUNK].astype(np.uint16)
        wide *= np.uint16(most + 1)
        wide >>= np.uint16(8)
        voxels[start : start + CHUNK] = wide
    return voxels


def make_slabs(problem: Problem, sample: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """A sample a slab at a time: first plane, volume and label, uint8 (brick, H, W)."""
    grid = occupancy(problem, sample)
    classes = np.array([0] + [f.category + 1 for f in fractals(problem, sample)], dtype=np.uint8)
    for first in range(0, problem.side, problem.brick):
        owner = grid[first : first + problem.brick]
        label = np.zeros_like(owner)
        occupied = np.flatnonzero(owner != 0)
        label.reshape(-1)[occupied] = classes[owner.reshape(-1)[occupied]]
        yield first, slab_intensities(problem, sample, first, owner), label


def make_sample(problem: Problem, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """A whole sample: volume of intensities and label of classes (0 background), uint8 (D, H, W)."""
    slabs = list(make_slabs(problem, sample))
    return np.concatenate([s[1] for s in slabs]), np.concatenate([s[2] for s in slabs])
