"""The weights of the classes in the loss, estimated from a tenth of the training masks. A run reads them on its clock.

That a tenth is looked at is the authors'; which one, and the formula, is this project's.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmark.scaffold_published.files import read_mask, sample_path
from benchmark.scaffold_published.problem import Problem
from benchmark.workload import Box

EVERY = 10  # the training masks that are looked at: 0, 10, 20, ...


def looked_at(problem: Problem) -> range:
    """Return the training samples whose masks are counted."""
    return problem.split_samples("train")[::EVERY]


def class_counts(root: Path, problem: Problem, samples: Iterable[int], box: Box) -> np.ndarray:
    """Return the voxels by class, int64 (classes,), of a box of samples' masks. Raises ValueError for a bad file."""
    counts = np.zeros(problem.classes, np.int64)
    for sample in samples:
        mask = read_mask(sample_path(root, problem, "train", sample), problem, box)
        counts += np.bincount(mask.ravel(), minlength=problem.classes)
    return counts


def class_weights(counts: np.ndarray) -> np.ndarray:
    """Return the weights, float32 (classes,), from voxels by class: in proportion to 1 / voxels, 1 on average. A class
    without voxels counts as if it had one."""
    inverse = 1 / np.maximum(counts, 1)
    weights: np.ndarray = (inverse / inverse.mean()).astype(np.float32)
    return weights
