"""Volumes: which fractals a sample holds, where, and what its voxels look like.

A volume is a grid of cells. Each of its fractals lies in a cell of its own, so that none touches another's voxels.
Everything follows from the problem and the sample's id, bit by bit, wherever it is computed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmark import draw
from benchmark.manifest import SPLITS
from benchmark.scaffold import attractor
from benchmark.scaffold.category import (
    FACTORS,
    FINE,
    VARIANTS,
    bounding_box,
    fine_variant,
    instance_maps,
    load_categories,
)
from benchmark.scaffold.problem import HeldOut, Intensity, Problem

APART = 30  # thousandths of a factor between a held-out instance and the next step, at least
MARGIN = np.float32(1 / 64)  # of the extent: room for points beyond those that measured the bounding box


@dataclass(frozen=True)
class Fractal:
    """One fractal of a sample. `size`, its greatest extent, and `origin` (z, y, x), its place in the cell, are in
    voxels; `cell` is (z, y, x) in cells."""

    category: int
    variant: int
    cell: tuple[int, int, int]
    size: int
    origin: tuple[int, int, int]


@lru_cache(maxsize=4)
def pools(problem: Problem) -> dict[str, list[tuple[int, int]]]:
    """The instances, (category, variant), of each split. They share none.

    The base is the last instance to be used: with 144 instances of a category, its variants alone.
    """
    pool = []
    for category in range(problem.categories):
        raw = draw.words(problem.data_seed, draw.INSTANCES, category, count=VARIANTS)
        order = draw.shuffled(raw)
        variants = [1 + i for i in order] + [0]
        if isinstance(problem, HeldOut):
            variants = between_steps(problem, category, order)
        pool += [(category, variant) for variant in variants[: problem.instances]]
    order = draw.shuffled(draw.words(problem.data_seed, draw.POOLS, count=len(pool)))
    pool = [pool[i] for i in order]
    if isinstance(problem, HeldOut):
        return dict.fromkeys(SPLITS, pool)  # nobody trains on them
    trained = problem.split_instances(SPLITS[0])
    return dict(zip(SPLITS, (pool[:trained], pool[trained:]), strict=True))


def between_steps(problem: Problem, category: int, order: list[int]) -> list[int]:
    """The held-out variants of a category, in this order: one for each parameter and each of the 12 steps from a factor
    to the next, 0.4 to 0.5 and so on. Its factor, in thousandths, is drawn from the middle of the step."""
    raw = draw.words(problem.data_seed, draw.FACTORS, category, count=VARIANTS)
    variants = []
    for number in order:
        parameter, step = divmod(number, len(FACTORS))
        low = FINE[0] + 100 * step
        variants.append(fine_variant(parameter, draw.between(raw[number], low + APART, low + 100 - APART)))
    return variants


@lru_cache(maxsize=16)
def deal(problem: Problem, split: int, number: int) -> list[tuple[int, int]]:
    """The instances of a split in the order in which they are dealt out for the `number`-th time."""
    pool = pools(problem)[SPLITS[split]]
    raw = draw.words(problem.data_seed, draw.ASSIGNMENT, split, number, count=len(pool))
    return [pool[i] for i in draw.shuffled(raw)]


def instances(problem: Problem, sample: int) -> list[tuple[int, int]]:
    """(category, variant) of each fractal of a sample. A split's samples, one after another, use all of its instances
    once, then all of them once more, and so on."""
    split = next(i for i, name in enumerate(SPLITS) if sample in problem.split_samples(name))
    first = (sample - problem.split_samples(SPLITS[split])[0]) * problem.fractals
    made = problem.split_instances(SPLITS[split])
    return [deal(problem, split, i // made)[i % made] for i in range(first, first + problem.fractals)]


def fractals(problem: Problem, sample: int) -> list[Fractal]:
    """The fractals of a sample."""
    seed, side = problem.data_seed, problem.side // problem.cell
    cells = draw.shuffled(draw.words(seed, draw.CELLS, sample, count=problem.cells))
    placed = []
    for index, (category, variant) in enumerate(instances(problem, sample)):
        cell = cells[index] // side**2, cells[index] // side % side, cells[index] % side
        raw = draw.words(seed, draw.PLACEMENT, sample, index, count=4)
        size = max(1, problem.cell * draw.between(raw[0], *problem.size) // 256)
        origin = tuple(draw.between(w, 0, problem.cell - size) for w in raw[1:])
        placed.append(Fractal(category, variant, cell, size, origin))
    return placed


@lru_cache(maxsize=1024)
def frame(categories: int, category: int, variant: int) -> tuple[np.ndarray, np.ndarray, np.float32]:
    """The maps of an instance, and the cube around it: its lowest corner (3,) and its extent, float32."""
    maps = instance_maps(load_categories(categories)[category], variant)
    low, high = bounding_box(maps)
    extent = (high - low).max() * (1 + 2 * MARGIN)
    return maps, (low + high) * np.float32(0.5) - extent * np.float32(0.5), extent


def mark(problem: Problem, sample: int, index: int, fractal: Fractal) -> np.ndarray:
    """The voxels of a cell that its fractal occupies, bool (cell, cell, cell)."""
    maps, corner, extent = frame(problem.categories, fractal.category, fractal.variant)
    count = attractor.walkers_for(problem.points)
    walkers = draw.words(problem.data_seed, draw.WALKERS, sample, index, count=count)
    scale, side = np.float32(fractal.size) / extent, problem.cell
    occupied = np.zeros((side,) * 3, bool)
    flat = occupied.reshape(-1)
    z0, y0, x0 = fractal.origin
    first = (z0 * side + y0) * side + x0
    scaled, voxel = np.empty((3, count), np.float32), np.empty((3, count), np.int32)
    for block in attractor.blocks(maps, walkers, problem.points):
        np.subtract(block, corner[:, None], out=scaled)
        np.multiply(scaled, scale, out=scaled)
        np.copyto(voxel, scaled, casting="unsafe")  # towards zero
        np.clip(voxel, 0, fractal.size - 1, out=voxel)  # the rare point beyond the margin
        z, y, x = voxel
        z *= side
        z += y
        z *= side
        z += x
        z += first
        flat[z] = True
    return occupied


def layers(problem: Problem, sample: int) -> Iterator[np.ndarray]:
    """The label of a sample, a layer of cells at a time: classes, 0 background, uint8 (cell, H, W). A layer is
    overwritten once the next is asked for."""
    placed = list(enumerate(fractals(problem, sample)))
    n = problem.cell
    label = np.empty((n, problem.side, problem.side), np.uint8)
    for layer in range(problem.side // n):
        label.fill(0)
        for index, fractal in placed:
            z, y, x = fractal.cell
            if z == layer:
                occupied = mark(problem, sample, index, fractal).view(np.uint8)
                cell = label[:, y * n : (y + 1) * n, x * n : (x + 1) * n]
                np.multiply(occupied, np.uint8(fractal.category + 1), out=cell)
        yield label


def occupied_voxels(label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a label, uint8 of a multiple of 8 voxels, is not background: flat indices in order, and the classes."""
    flat = label.reshape(-1)
    eights = np.flatnonzero(flat.view(np.uint64) != 0)  # few are: eight voxels are looked at together
    near = flat.reshape(-1, 8)[eights]
    row, column = np.nonzero(near)
    return eights[row] * 8 + column, near[row, column]


def intensities(problem: Problem, sample: int, first: int, label: np.ndarray) -> np.ndarray:
    """Intensities, uint8, of the slab `label` (D, H, W) that starts at plane `first`.

    Drawn a slab at a time, so that no more than a slab need be in memory: a slab is one brick deep.
    """
    seed, slab, intensity = problem.data_seed, first // problem.brick, problem.intensity
    raw = draw.words(seed, draw.BACKGROUND, sample, slab, count=-(-label.size // 16))
    voxels = background(raw, intensity)[: label.size]
    occupied = occupied_voxels(label)[0]
    raw = draw.words(seed, draw.FOREGROUND, sample, slab, count=-(-len(occupied) // 4))
    voxels[occupied] = foreground(raw, intensity)[: len(occupied)]
    return voxels.reshape(label.shape)


def background(raw: np.ndarray, intensity: Intensity) -> np.ndarray:
    """Intensities from words, uint8 (16 words,): the bytes' lower halves, least significant byte first, then their
    upper halves, of which as many bits count as the largest intensity has."""
    voxels = np.empty((2, len(raw)), "<u8")
    mask = np.uint64(intensity.background * 0x0101010101010101)
    np.bitwise_and(raw, mask, out=voxels[0])
    np.right_shift(raw, np.uint64(4), out=voxels[1])
    np.bitwise_and(voxels[1], mask, out=voxels[1])
    return voxels.reshape(-1).view(np.uint8)


def foreground(raw: np.ndarray, intensity: Intensity) -> np.ndarray:
    """Intensities from words, uint8 (4 words,): the high half of 16 bits times the width of the range."""
    low, high = intensity.foreground
    wide = raw.astype("<u8", copy=False).view("<u2").astype(np.uint32)
    return (low + (wide * np.uint32(high - low + 1) >> np.uint32(16))).astype(np.uint8)


def make_slabs(problem: Problem, sample: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """A sample a slab at a time: first plane, volume and label, uint8 (brick, H, W). A label is overwritten once the
    next layer of cells is asked for."""
    for layer, classes in enumerate(layers(problem, sample)):
        for plane in range(0, problem.cell, problem.brick):
            first, label = layer * problem.cell + plane, classes[plane : plane + problem.brick]
            yield first, intensities(problem, sample, first, label), label


def make_sample(problem: Problem, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """A whole sample: volume of intensities and label of classes (0 background), uint8 (D, H, W)."""
    volume, label = np.empty((2, *problem.shape), np.uint8)
    for first, intensity, classes in make_slabs(problem, sample):
        volume[first : first + problem.brick], label[first : first + problem.brick] = intensity, classes
    return volume, label
