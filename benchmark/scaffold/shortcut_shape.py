"""A hand-made classifier of whole fractals, which is no shortcut. It gets nothing but the volume.

A table says which voxels are occupied, and the grid of cells says which of them belong together. A cell's fractal is
described by the distribution of its voxels over GRID^3 boxes of the cube around it. All of its voxels get the category
of the training fractal with the most similar distribution.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from benchmark.metric import Counts, dice
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.shortcut_parts import Part, each, timed
from benchmark.scaffold.shortcut_tables import likely_occupied

GRID = 4  # boxes a side


class Found(NamedTuple):
    """A cell's occupied voxels: their distribution (GRID^3,), and their number by true class (classes,)."""

    spread: np.ndarray
    classes: np.ndarray


def spread(occupied: np.ndarray) -> np.ndarray:
    """Return the square roots of the shares of the occupied voxels (D, H, W) in each box of the cube around them,
    (GRID^3,). The distance between two such vectors is Hellinger's."""
    voxels = np.argwhere(occupied)
    low, high = voxels.min(axis=0), voxels.max(axis=0) + 1
    extent = (high - low).max()
    # twice the position in the cube, in voxels, is a whole number; the cube is centred on the voxels
    doubled = 2 * voxels + 1 - low - high + extent
    z, y, x = np.clip(doubled * GRID // (2 * extent), 0, GRID - 1).T
    return np.sqrt(np.bincount((z * GRID + y) * GRID + x, minlength=GRID**3) / len(voxels))


def find(threshold: np.ndarray, problem: Problem, volume: np.ndarray, label: np.ndarray) -> tuple[list[Found], float]:
    """Return the fractals in a volume of whole cells, and the processor seconds of finding and describing them."""
    found, seconds, n = [], 0.0, problem.cell
    for corner in np.ndindex(*(extent // n for extent in volume.shape)):
        cell = tuple(slice(c * n, (c + 1) * n) for c in corner)
        occupied = threshold[volume[cell]]
        if occupied.any():
            described, took = timed(spread, occupied)
            classes = np.bincount(label[cell][occupied], minlength=problem.classes)
            found.append(Found(described, classes))
            seconds += took
    return found, seconds


def nearest(known: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return for each row of `wanted` (n, features) the index of the nearest row of `known` (m, features)."""
    return np.argmax(wanted @ known.T, axis=1)  # all rows have length 1


def shape_dice(
    counts: np.ndarray, true: np.ndarray, problem: Problem, train: list[Part], validation: list[Part], workers: int
) -> tuple[float, float]:
    """Return the validation Dice, and processor seconds. `counts` is the training split's histogram of intensities,
    (256, classes); `true` has the validation split's voxels by class."""
    job = partial(find, likely_occupied(counts))
    parts = each(job, problem, train + validation, workers, "fractals")
    seconds = sum(took for _, took in parts)
    known, wanted = (
        [fractal for found, _ in part for fractal in found] for part in (parts[: len(train)], parts[len(train) :])
    )
    if not known or not wanted:
        return 0.0, seconds
    index, took = timed(nearest, np.stack([f.spread for f in known]), np.stack([f.spread for f in wanted]))
    category = np.array([f.classes[1:].argmax() + 1 for f in known])[index]
    hit, predicted = np.zeros(problem.classes, int), np.zeros(problem.classes, int)
    for fractal, c in zip(wanted, category, strict=True):
        hit[c] += fractal.classes[c]
        predicted[c] += fractal.classes.sum()
    return dice(Counts(*(tuple(a.tolist()) for a in (hit, predicted, true)))), seconds + took
