"""Classifiers that do not look at structure: `python benchmark/shortcut.py --problem deepcam-mini`.

Each is fitted on the training split and scored by the IoU on the validation split. As long as those that see a single
pixel stay far from the target, the problem needs a network:

- `background`: background everywhere.
- `naive`, `linear`, `quadratic`: the likeliest class of a pixel from its 16 values, if a class's values are normally
  distributed: independent of each other, with one covariance for all classes, or with one for each.
- `blurred`: the quadratic one on means over the 7 x 7 pixels around. It sees neighbours, and is printed to show what
  they add.

The classes' weights are the best ones for the validation split itself, which flatters the scores. Samples are made on
the fly.
"""

from collections.abc import Iterator
from functools import partial, reduce
from pathlib import Path
from time import process_time

import numpy as np
from tqdm import tqdm

from benchmark.deepcam.problem import CHANNELS, CLASSES, Problem
from benchmark.deepcam.twin import make, value_range
from benchmark.shortcut import Score, first_samples
from benchmark.workers import work

SCORE = "IoU"
LOWER = False  # a higher score is better
KINDS = ("background", "naive", "linear", "quadratic", "blurred")
REACH = 3  # pixels around one whose mean is taken
SEES = {"background": "nothing", "blurred": f"the means of 16 values over {2 * REACH + 1}^2 pixels"}
WEIGHTS = [(0.0, cyclone, river) for cyclone in np.arange(-2, 4.5, 0.5) for river in np.arange(-2, 4.5, 0.5)]  # logs
Moments = tuple[np.ndarray, np.ndarray, np.ndarray]  # by class: pixels, sums, sums of products


def features(problem: Problem, sample: int, blurred: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return a sample's values, scaled to [-1, 1], float64 (pixels, 16), and its labels (pixels,)."""
    data, label = make(problem, sample)
    least, greatest = value_range().astype(float)
    x = (2 * data - least - greatest) / (greatest - least)
    for axis in (0, 1) if blurred else ():
        wide = np.pad(x, [(REACH, REACH) if a == axis else (0, 0) for a in range(3)], mode="edge")
        moved = np.moveaxis(wide, axis, 0)
        size = x.shape[axis]
        mean = sum(moved[k : k + size] for k in range(2 * REACH + 1)) / (2 * REACH + 1)
        x = np.moveaxis(mean, 0, axis)
    return x.reshape(-1, CHANNELS), label.reshape(-1)


def moments(root: Path, problem: Problem, task: tuple[int, bool]) -> tuple[bool, Moments]:
    """Return whether a sample's pixels were blurred, and their moments by class."""
    x, label = features(problem, *task)
    parts = [x[label == c] for c in range(len(CLASSES))]
    sums = np.stack([p.sum(0) for p in parts])
    return task[1], (np.array([len(p) for p in parts]), sums, np.stack([p.T @ p for p in parts]))


def normal(kind: str, found: Moments) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Return by class the mean, the inverse covariance, and the logarithm of share and density at the mean."""
    pixels, sums, products = found
    means = sums / pixels[:, None]
    covariances = products / pixels[:, None, None] - means[:, :, None] * means[:, None]
    if kind == "linear":
        covariances[:] = np.tensordot(pixels / pixels.sum(), covariances, 1)
    if kind == "naive":
        covariances *= np.eye(CHANNELS)
    shares = np.log(pixels / pixels.sum())
    heights = shares - np.linalg.slogdet(covariances)[1] / 2
    return list(zip(means, np.linalg.inv(covariances), heights, strict=True))


def overlap(found: np.ndarray, label: np.ndarray) -> float:
    """Return a sample's IoU, the mean over classes."""
    counts = np.bincount(label.astype(int) * len(CLASSES) + found, minlength=len(CLASSES) ** 2)
    counts = counts.reshape(len(CLASSES), -1)
    either = counts.sum(0) + counts.sum(1) - counts.diagonal()
    return float(np.where(either > 0, counts.diagonal() / np.maximum(either, 1), 1.0).mean())


def chances(x: np.ndarray, classes: list[tuple[np.ndarray, np.ndarray, float]]) -> np.ndarray:
    """Return the log-likelihood of each class for pixels (pixels, 16): (pixels, 3)."""
    return np.stack([h - ((x - m) @ p * (x - m)).sum(1) / 2 for m, p, h in classes], axis=1)


def scores(normals: dict, root: Path, problem: Problem, task: tuple[int, bool]) -> dict[str, tuple[np.ndarray, float]]:
    """Return a sample's IoU for each weighting, and the processor seconds, by kind of classifier."""
    x, label = features(problem, *task)
    start = process_time()
    found = {} if task[1] else {"background": np.full(len(WEIGHTS), overlap(np.zeros_like(label, int), label))}
    found = {kind: (values, process_time() - start) for kind, values in found.items()}
    for kind, classes in normals.items():
        if (kind == "blurred") == task[1]:
            start = process_time()
            likelihoods = chances(x, classes)
            values = np.array([overlap((likelihoods + w).argmax(1), label) for w in WEIGHTS])
            found[kind] = values, process_time() - start
    return found


def scope(problem: Problem, samples: int | None = None) -> str:
    """Return what the classifiers are fitted and scored on, in words."""
    train, validation = (len(found) for found in first_samples(problem, samples).values())
    return f"{train} training and {validation} validation samples; seconds are of scoring, {len(WEIGHTS)} weightings"


def shortcuts(problem: Problem, workers: int, samples: int | None = None) -> Iterator[Score]:
    """Yield the score of each kind. `samples` limits each split to its first so many samples.

    Raises ValueError for a problem without a generator.
    """
    if not problem.twin:
        raise ValueError(f"{problem.name} has no generator: shortcuts are for twins")
    splits = first_samples(problem, samples)

    def over(job, split: str) -> list:
        tasks = [(sample, blurred) for sample in splits[split] for blurred in (False, True)]
        return list(tqdm(work(job, Path(), problem, tasks, workers), total=len(tasks), desc=split, disable=None))

    parts = over(moments, "train")
    plain, blurred = (
        reduce(lambda a, b: tuple(x + y for x, y in zip(a, b, strict=True)), (m for b, m in parts if b is which))
        for which in (False, True)
    )
    normals = {kind: normal(kind, plain) for kind in KINDS[1:-1]}
    normals["blurred"] = normal("quadratic", blurred)
    found = over(partial(scores, normals), "validation")
    for kind in KINDS:
        values, seconds = zip(*(part[kind] for part in found if kind in part), strict=True)
        yield Score(
            kind, float(np.mean(values, axis=0).max()), sum(seconds), SEES.get(kind, "the 16 values of a pixel")
        )
