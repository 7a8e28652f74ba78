"""What can be had without looking at shape: `python benchmark/shortcut.py --problem smoke`.

Classifiers fitted on the training split and scored by validation Dice. The rules limit the first two:

- `voxel`: the class of a voxel from its intensity alone.
- `neighbours`: the class of an occupied voxel from the mean intensity of the occupied voxels in the 5^3 box
  around it. It is even told which voxels are occupied.
- `bayes3`, `bayes5`: the category under which the intensities of all occupied voxels in the 3^3 or 5^3 box are
  likeliest (naive Bayes), told the same. The strongest we know that sees no shape, printed for honesty.

A problem is a segmentation problem as long as the first two stay far below its target. Samples are made on the fly.
"""

from functools import partial, reduce
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmark.manifest import SPLITS
from benchmark.metric import Counts, count, dice
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import make_sample
from benchmark.workers import work

SCORE = "Dice"
REACH = 2  # the box around a voxel has 2 * REACH + 1 voxels a side
STEPS = 4  # table entries per grey level of a mean


def box_sum(values: np.ndarray, reach: int = REACH) -> np.ndarray:
    """The sum over the box around each voxel, (D, H, W); beyond the volume there is nothing."""
    for axis in range(3):
        padded = np.pad(values, [(reach, reach) if a == axis else (0, 0) for a in range(3)])
        n = values.shape[axis]
        moved = np.moveaxis(padded, axis, 0)
        values = np.moveaxis(sum(moved[k : k + n] for k in range(2 * reach + 1)), 0, axis)
    return values


def neighbour_means(volume: np.ndarray, occupied: np.ndarray) -> np.ndarray:
    """For each occupied voxel, STEPS times the mean intensity of the occupied voxels around it and itself."""
    total = box_sum(np.where(occupied, volume, 0).astype(np.int32))
    return STEPS * total[occupied] // box_sum(occupied.astype(np.int32))[occupied]


def histogram(features: np.ndarray, label: np.ndarray, bins: int, classes: int) -> np.ndarray:
    """Voxels by feature and true class, int64 (bins, classes)."""
    joint = features.astype(np.int64).reshape(-1) * classes + label.reshape(-1)
    return np.bincount(joint, minlength=bins * classes).reshape(bins, classes)


def histograms(root: Path, problem: Problem, task: tuple[str, int]) -> tuple[str, np.ndarray, np.ndarray]:
    """The split of a sample and its histograms: of `voxel` and of `neighbours`."""
    split, sample = task
    volume, label = make_sample(problem, sample)
    occupied = label > 0
    means = neighbour_means(volume, occupied)
    neighbours = histogram(means, label[occupied], 256 * STEPS, problem.classes)
    return split, histogram(volume, label, 256, problem.classes), neighbours


def fit(counts: np.ndarray) -> np.ndarray:
    """The table, class by feature (bins,), with the highest Dice on the histogram `counts` that we can find.

    A voxel's most likely class is not yet the best for Dice, which weighs rare classes up. So: from the most
    likely classes under several weights of the background, change single entries while that raises the Dice.
    """
    best, best_score = np.zeros(len(counts), dtype=np.int64), -1.0
    size = np.maximum(counts.sum(axis=0), 1)
    for weight in (1.0, 0.5, 0.25, 0.1, 0.03):
        for scale in (np.ones(len(size)), size[1:].mean() / size):
            table = np.argmax(counts * scale * np.where(np.arange(len(size)), 1.0, weight), axis=1)
            table, score = climb(counts, table)
            if score > best_score:
                best, best_score = table, score
    return best


def climb(counts: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, float]:
    """`table` after single changes, each raising the mean foreground Dice on `counts`, and that Dice."""
    true, rows, table = counts.sum(axis=0), counts.sum(axis=1), table.copy()
    classes = np.arange(counts.shape[1])
    hit = np.array([counts[table == c, c].sum() for c in classes])
    predicted = np.array([rows[table == c].sum() for c in classes])
    changed = True
    while changed:
        changed = False
        for i in np.flatnonzero(rows):
            old = table[i]
            hit[old] -= counts[i, old]
            predicted[old] -= rows[i]
            gain = 2 * (hit + counts[i]) / np.maximum(predicted + rows[i] + true, 1) - 2 * hit / np.maximum(
                predicted + true, 1
            )
            gain[0] = 0.0
            new = int(np.argmax(gain))
            if gain[new] <= gain[old] + 1e-12:
                new = old
            table[i], changed = new, changed or new != old
            hit[new] += counts[i, new]
            predicted[new] += rows[i]
    return table, float(np.mean((2 * hit / np.maximum(predicted + true, 1))[1:]))


def score(counts: np.ndarray, table: np.ndarray, true: np.ndarray) -> float:
    """Dice of a table on the histogram of another split; `true` are the split's voxels by class."""
    classes = range(counts.shape[1])
    hit = tuple(int(counts[table == c, c].sum()) for c in classes)
    predicted = tuple(int(counts[table == c].sum()) for c in classes)
    return dice(Counts(hit, predicted, tuple(true.tolist())))


def log_likelihoods(counts: np.ndarray) -> np.ndarray:
    """Log-likelihood of each intensity by category, float32 (256, categories), from a histogram (256, classes)."""
    foreground = counts[:, 1:] + 0.5  # what was never seen is unlikely, not impossible
    return np.log(foreground / foreground.sum(axis=0)).astype(np.float32)


def bayes(likelihoods: np.ndarray, root: Path, problem: Problem, task: tuple[str, int]) -> dict[str, Counts]:
    """A sample's counts under naive Bayes, by box."""
    volume, label = make_sample(problem, task[1])
    occupied = label > 0
    found = {}
    for name, reach in (("bayes3", 1), ("bayes5", 2)):
        sums = [box_sum(np.where(occupied, table[volume], np.float32(0)), reach)[occupied] for table in likelihoods.T]
        predicted = np.zeros_like(label)
        predicted[occupied] = 1 + np.argmax(sums, axis=0)
        found[name] = count(predicted, label, problem.classes)
    return found


def shortcuts(problem: Problem, workers: int = 1, train_samples: int | None = None) -> dict[str, float]:
    """Validation Dice of the classifiers by name, fitted on the training split.

    `train_samples` limits each split to its first so many samples.
    """
    tasks = [(split, s) for split in SPLITS for s in list(problem.split_samples(split))[:train_samples]]
    sums = {(split, kind): 0 for split in SPLITS for kind in ("voxel", "neighbours")}
    for split, voxel, neighbours in tqdm(
        work(histograms, Path(), problem, tasks, workers), total=len(tasks), desc="tables", disable=None
    ):
        sums[split, "voxel"] += voxel
        sums[split, "neighbours"] += neighbours
    true = sums["validation", "voxel"].sum(axis=0)
    scores = {kind: score(sums["validation", kind], fit(sums["train", kind]), true) for kind in ("voxel", "neighbours")}
    job = partial(bayes, log_likelihoods(sums["train", "voxel"]))
    tasks = [task for task in tasks if task[0] == "validation"]
    found = list(tqdm(work(job, Path(), problem, tasks, workers), total=len(tasks), desc="naive Bayes", disable=None))
    for name in found[0]:
        scores[name] = dice(reduce(Counts.__add__, (counts[name] for counts in found)))
    return scores
