"""Hand-made classifiers of whole fractals, which are no shortcuts. They get nothing but the volume.

A table says which voxels are occupied, and the grid of cells says which of them belong together. A cell's fractal is
described by six numbers, the second moments of its voxels, or by their distribution over GRID^3 boxes of the cube
around it. All of its voxels get the category of the training fractal with the most similar description.
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
    """A cell's occupied voxels: their descriptions, by name, and their number by true class (classes,)."""

    described: dict[str, np.ndarray]
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


def moments(occupied: np.ndarray) -> np.ndarray:
    """Return the covariances of the occupied voxels' coordinates (zz, zy, zx, yy, yx, xx), over the square of the
    longest side of the box around them."""
    voxels = np.argwhere(occupied)
    extent = np.ptp(voxels, axis=0).max() + 1
    return np.cov(voxels.T, bias=True)[np.triu_indices(3)] / extent**2


DESCRIPTIONS = {"moments": moments, "nearest": spread}


def find(
    threshold: np.ndarray, problem: Problem, volume: np.ndarray, label: np.ndarray
) -> tuple[list[Found], dict[str, float]]:
    """Return the fractals in a volume of whole cells, and the processor seconds of each description."""
    found, n = [], problem.cell
    seconds = dict.fromkeys(DESCRIPTIONS, 0.0)
    for corner in np.ndindex(*(extent // n for extent in volume.shape)):
        cell = tuple(slice(c * n, (c + 1) * n) for c in corner)
        occupied = threshold[volume[cell]]
        if occupied.any():
            described = {}
            for name, describe in DESCRIPTIONS.items():
                described[name], took = timed(describe, occupied)
                seconds[name] += took
            found.append(Found(described, np.bincount(label[cell][occupied], minlength=problem.classes)))
    return found, seconds


def nearest(known: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return for each row of `wanted` (n, features) the index of the nearest row of `known` (m, features)."""
    return np.argmin((known**2).sum(axis=1) - 2 * wanted @ known.T, axis=1)


def shape_dice(
    counts: np.ndarray, true: np.ndarray, problem: Problem, train: list[Part], validation: list[Part], workers: int
) -> dict[str, tuple[float, float]]:
    """Return the validation Dice by each description, and processor seconds. `counts` is the training split's histogram
    of intensities, (256, classes); `true` has the validation split's voxels by class."""
    job = partial(find, likely_occupied(counts))
    parts = each(job, problem, train + validation, workers, "fractals")
    known, wanted = (
        [fractal for found, _ in part for fractal in found] for part in (parts[: len(train)], parts[len(train) :])
    )
    scores = {}
    for name in DESCRIPTIONS:
        value, took = timed(described_dice, name, known, wanted, true) if known and wanted else (0.0, 0.0)
        scores[name] = value, took + sum(seconds[name] for _, seconds in parts)
    return scores


def described_dice(name: str, known: list[Found], wanted: list[Found], true: np.ndarray) -> float:
    """Return the Dice of the fractals `wanted`, each as the one of `known` whose description `name` is nearest."""
    index = nearest(*(np.stack([fractal.described[name] for fractal in some]) for some in (known, wanted)))
    category = np.array([fractal.classes[1:].argmax() + 1 for fractal in known])[index]
    hit, predicted = np.zeros(len(true), int), np.zeros(len(true), int)
    for fractal, c in zip(wanted, category, strict=True):
        hit[c] += fractal.classes[c]
        predicted[c] += fractal.classes.sum()
    return dice(Counts(*(tuple(a.tolist()) for a in (hit, predicted, true))))
