"""Regressions that see less than the network: `python benchmark/shortcut.py --problem cosmoflow-mini`.

Each is fitted on the training split and scored by the mean absolute error on the validation split:

- `constant`: the median of each parameter.
- `mean count`: linear regression on the logarithm of each channel's mean count.
- `moments`: the same, and mean, variance and skewness of each channel's log(1 + count).
- `histogram`: linear regression on how often each count, up to 31, occurs in each channel: all that single voxels tell.
- `two-point`: linear regression on `moments`, on how alike neighbouring voxels of each channel are, and on the products
  of any two of these. A Gaussian random field is its two-point function, so this is no shortcut: it is cosmology.

Samples are made on the fly.
"""

from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np
from tqdm import tqdm

from benchmark.cosmoflow.problem import Problem
from benchmark.cosmoflow.universe import make_universe
from benchmark.shortcut import Score, first_samples
from benchmark.workers import work

SCORE = "MAE"
LOWER = True  # a lower score is better
LEVELS = 32  # of a histogram; the last is of all counts above


def nothing(counts: np.ndarray) -> np.ndarray:
    """Return no features."""
    return np.zeros(0)


def mean_count(counts: np.ndarray) -> np.ndarray:
    """Return the logarithm of each channel's mean count, (channels,), from counts (channels, voxels)."""
    return np.log(counts.mean(1) + 1e-3)


def moments(counts: np.ndarray) -> np.ndarray:
    """Return `mean_count`, and mean, variance and skewness of log(1 + count), (4 channels,)."""
    logs = np.log1p(counts)
    centred = logs - logs.mean(1, keepdims=True)
    return np.concatenate([mean_count(counts), logs.mean(1), *((centred**power).mean(1) for power in (2, 3))])


def histogram(counts: np.ndarray) -> np.ndarray:
    """Return how often each count occurs in each channel, as shares of its voxels, (LEVELS channels,)."""
    return np.concatenate([np.bincount(np.minimum(c, LEVELS - 1), minlength=LEVELS) / len(c) for c in counts])


def two_point(counts: np.ndarray) -> np.ndarray:
    """Return `moments`, the mean product of neighbours in each channel's centred log(1 + count), and all products of
    two of these: (f + f (f + 1) / 2,) of f = 5 channels."""
    side = round(counts.shape[1] ** (1 / 3))
    logs = np.log1p(counts)
    cubes = (logs - logs.mean(1, keepdims=True)).reshape(len(counts), side, side, side)
    products = sum((cubes * np.roll(cubes, 1, axis)).mean((1, 2, 3)) for axis in (1, 2, 3))
    found = np.concatenate([moments(counts), products])
    first, second = np.triu_indices(len(found))
    return np.concatenate([found, found[first] * found[second]])


KINDS = {  # the features of each kind of regression, and what it sees
    "constant": (nothing, "nothing"),
    "mean count": (mean_count, "the mean count of each channel"),
    "moments": (moments, "mean count, and mean, variance and skewness of log(1 + count), of each channel"),
    "histogram": (histogram, "how often each count occurs in each channel"),
    "two-point": (two_point, "moments and products of neighbours, with squares"),
}


def features(
    root: Path, problem: Problem, task: tuple[str, int]
) -> tuple[int, dict[str, np.ndarray], dict, np.ndarray]:
    """Return a sample's id, its features for each kind of regression, their processor seconds, and its parameters."""
    x, y = make_universe(problem, task[1])
    counts = x.reshape(-1, problem.channels).T  # (channels, voxels)
    known, seconds = {}, {}
    for kind, (describe, _) in KINDS.items():
        start = process_time()
        known[kind] = describe(counts)
        seconds[kind] = process_time() - start
    return task[1], known, seconds, y


def regress(known: np.ndarray, wanted: np.ndarray, train: int) -> float:
    """Return the mean absolute error on the samples from `train` on of a linear regression that is fitted on the ones
    before: known (samples, features), wanted (samples, 4). Without features the median is the prediction."""
    if not known.shape[1]:
        return float(np.abs(wanted[train:] - np.median(wanted[:train], axis=0)).mean())
    known = np.concatenate([known, np.ones((len(known), 1))], axis=1)
    weights = np.linalg.lstsq(known[:train], wanted[:train], rcond=1e-9)[0]
    return float(np.abs(wanted[train:] - known[train:] @ weights).mean())


def scope(problem: Problem, samples: int | None = None) -> str:
    """Return what the regressions are fitted and scored on, in words."""
    train, validation = (len(found) for found in first_samples(problem, samples).values())
    return f"{train} training and {validation} validation samples"


def shortcuts(problem: Problem, workers: int, samples: int | None = None) -> Iterator[Score]:
    """Yield the score of each kind. `samples` limits each split to its first so many samples."""
    splits = first_samples(problem, samples)
    tasks = [(split, sample) for split, found in splits.items() for sample in found]
    made = tqdm(work(features, Path(), problem, tasks, workers), total=len(tasks), desc="samples", disable=None)
    parts = sorted(made, key=lambda part: part[0])
    wanted = np.stack([y for *_, y in parts]).astype(float)
    for kind, (_, sees) in KINDS.items():
        start = process_time()
        error = regress(np.stack([known[kind] for _, known, _, _ in parts]), wanted, len(splits["train"]))
        seconds = process_time() - start + sum(seconds[kind] for _, _, seconds, _ in parts)
        yield Score(kind, error, seconds, sees)
