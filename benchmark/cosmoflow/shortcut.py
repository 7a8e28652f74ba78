"""What can be had without looking at structure: `python benchmark/shortcut.py --problem cosmoflow-mini`.

Fitted on the training split, scored by validation mean absolute error. A problem needs a network as long as all of them
stay far from its target:

- `constant`: the median of each parameter.
- `mean count`: linear regression on the logarithm of each channel's mean count.
- `moments`: the same, and mean, variance and skewness of each channel's log(1 + count).
- `histogram`: linear regression on how often each count, up to 31, occurs in each channel: all that single voxels tell.

Samples are made on the fly.
"""

from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np
from tqdm import tqdm

from benchmark.cosmoflow.problem import Problem
from benchmark.cosmoflow.universe import make_universe
from benchmark.shortcut import Score
from benchmark.workers import work

SCORE = "MAE"
LOWER = True  # small scores are good ones
LEVELS = 32  # of a histogram; the last is of all counts above


def nothing(counts: np.ndarray) -> np.ndarray:
    """No features."""
    return np.zeros(0)


def mean_count(counts: np.ndarray) -> np.ndarray:
    """(channels,) from counts (channels, voxels)."""
    return np.log(counts.mean(1) + 1e-3)


def moments(counts: np.ndarray) -> np.ndarray:
    """(4 channels,)."""
    logs = np.log1p(counts)
    centred = logs - logs.mean(1, keepdims=True)
    return np.concatenate([mean_count(counts), logs.mean(1), *((centred**power).mean(1) for power in (2, 3))])


def histogram(counts: np.ndarray) -> np.ndarray:
    """(LEVELS channels,)."""
    return np.concatenate([np.bincount(np.minimum(c, LEVELS - 1), minlength=LEVELS) / len(c) for c in counts])


KINDS = {  # the features of each kind of regression, and what it sees
    "constant": (nothing, "nothing"),
    "mean count": (mean_count, "the mean count of each channel"),
    "moments": (moments, "mean count, and mean, variance and skewness of log(1 + count), of each channel"),
    "histogram": (histogram, "how often each count occurs in each channel"),
}


def features(
    root: Path, problem: Problem, task: tuple[str, int]
) -> tuple[int, dict[str, np.ndarray], dict, np.ndarray]:
    """A sample's id, what each kind of regression knows of it, the processor seconds of that, and its parameters."""
    x, y = make_universe(problem, task[1])
    counts = x.reshape(-1, problem.channels).T  # (channels, voxels)
    known, seconds = {}, {}
    for kind, (describe, _) in KINDS.items():
        start = process_time()
        known[kind] = describe(counts)
        seconds[kind] = process_time() - start
    return task[1], known, seconds, y


def regress(known: np.ndarray, wanted: np.ndarray, train: int) -> float:
    """Mean absolute error on the samples from `train` on, of the linear regression on the others: known (samples,
    features), wanted (samples, 4). Without features, of the median."""
    if not known.shape[1]:
        return float(np.abs(wanted[train:] - np.median(wanted[:train], axis=0)).mean())
    known = np.concatenate([known, np.ones((len(known), 1))], axis=1)
    weights = np.linalg.lstsq(known[:train], wanted[:train], rcond=1e-9)[0]
    return float(np.abs(wanted[train:] - known[train:] @ weights).mean())


def split_samples(problem: Problem, samples: int | None) -> dict[str, list[int]]:
    """The samples of each split, or its first so many."""
    return {split: list(problem.split_samples(split))[:samples] for split in ("train", "validation")}


def scope(problem: Problem, samples: int | None = None) -> str:
    """What classifiers are fitted and scored on, in words."""
    train, validation = (len(found) for found in split_samples(problem, samples).values())
    return f"{train} training and {validation} validation samples"


def shortcuts(problem: Problem, workers: int, samples: int | None = None) -> Iterator[Score]:
    """Validation mean absolute error by kind. `samples` limits each split to its first so many samples."""
    splits = split_samples(problem, samples)
    tasks = [(split, sample) for split, found in splits.items() for sample in found]
    made = tqdm(work(features, Path(), problem, tasks, workers), total=len(tasks), desc="samples", disable=None)
    parts = sorted(made, key=lambda part: part[0])
    wanted = np.stack([y for *_, y in parts]).astype(float)
    for kind, (_, sees) in KINDS.items():
        start = process_time()
        error = regress(np.stack([known[kind] for _, known, _, _ in parts]), wanted, len(splits["train"]))
        seconds = process_time() - start + sum(seconds[kind] for _, _, seconds, _ in parts)
        yield Score(kind, error, seconds, sees)
