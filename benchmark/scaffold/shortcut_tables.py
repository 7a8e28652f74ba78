"""Classifiers that see only intensities: tables, naive Bayes and votes."""

from functools import partial

import numpy as np

from benchmark.metric import Counts, dice
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.shortcut_parts import timed

REACH = 2  # the box of `neighbours` has 2 * REACH + 1 voxels a side
STEPS = 4  # table entries per grey level of a mean
BOXES = {"bayes3": 1, "bayes5": 2, "bayes7": 3}  # reach of naive Bayes' boxes
ROUNDS = 2  # of votes


def count(predicted: np.ndarray, true: np.ndarray, classes: int) -> Counts:
    """Return the counts of two integer arrays with values in [0, classes). Raises ValueError for different shapes."""
    if predicted.shape != true.shape:
        raise ValueError(f"shapes differ: predicted {predicted.shape}, true {true.shape}")
    hits = true[predicted == true]
    return Counts(*(tuple(np.bincount(a.ravel(), minlength=classes).tolist()) for a in (hits, predicted, true)))


def box_sum(values: np.ndarray, reach: int = REACH) -> np.ndarray:
    """Return the sum over the box around each voxel, (D, H, W). Values outside the volume are 0."""
    for axis in range(3):
        padded = np.pad(values, [(reach, reach) if a == axis else (0, 0) for a in range(3)])
        n = values.shape[axis]
        moved = np.moveaxis(padded, axis, 0)
        values = np.moveaxis(sum(moved[k : k + n] for k in range(2 * reach + 1)), 0, axis)
    return values


def neighbour_means(volume: np.ndarray, occupied: np.ndarray) -> np.ndarray:
    """Return for each occupied voxel STEPS times the mean intensity of itself and the occupied voxels around it."""
    total = box_sum(np.where(occupied, volume, 0).astype(np.int32))
    return STEPS * total[occupied] // box_sum(occupied.astype(np.int32))[occupied]


def histogram(features: np.ndarray, label: np.ndarray, bins: int, classes: int) -> np.ndarray:
    """Return the number of voxels by feature and true class, int64 (bins, classes)."""
    joint = features.astype(np.int64).reshape(-1) * classes + label.reshape(-1)
    return np.bincount(joint, minlength=bins * classes).reshape(bins, classes)


def histograms(problem: Problem, volume: np.ndarray, label: np.ndarray) -> dict[str, tuple[np.ndarray, float]]:
    """Return the histograms of `voxel` and `neighbours`, and the processor seconds of each."""

    def neighbours() -> np.ndarray:
        occupied = label > 0
        means = neighbour_means(volume, occupied)
        return histogram(means, label[occupied], 256 * STEPS, problem.classes)

    return {"voxel": timed(histogram, volume, label, 256, problem.classes), "neighbours": timed(neighbours)}


def fit(counts: np.ndarray) -> np.ndarray:
    """Return the table, class by feature (bins,), with the highest Dice on the histogram `counts` that is found.

    The most likely class of a voxel is not the best one for Dice, in which rare classes count for more. So the search
    starts from the most likely classes under several weights of the background, and changes single entries as long as
    that raises the Dice.
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
    """Change single entries of `table` while that raises the mean Dice on `counts`. Return table and Dice."""
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
    """Return the Dice of a table on another split's histogram `counts`. `true` has that split's voxels by class."""
    classes = range(counts.shape[1])
    hit = tuple(int(counts[table == c, c].sum()) for c in classes)
    predicted = tuple(int(counts[table == c].sum()) for c in classes)
    return dice(Counts(hit, predicted, tuple(true.tolist())))


def log_likelihoods(counts: np.ndarray) -> np.ndarray:
    """Return each intensity's log-likelihood by category, float32 (256, categories), from counts (256, classes)."""
    foreground = counts[:, 1:] + 0.5  # an intensity that was never seen is unlikely, not impossible
    return np.log(foreground / foreground.sum(axis=0)).astype(np.float32)


def likely_occupied(counts: np.ndarray) -> np.ndarray:
    """Return whether a voxel of each intensity is more likely occupied, bool (256,), from counts (256, classes)."""
    return counts[:, 1:].sum(axis=1) > counts[:, 0]


def most_likely(evidence: list[np.ndarray], occupied: np.ndarray, reach: int) -> np.ndarray:
    """Return each voxel's class, uint8: the category with the most evidence (D, H, W) in the box, or background."""
    found = np.zeros(occupied.shape, np.uint8)
    sums = [box_sum(np.where(occupied, values, np.float32(0)), reach)[occupied] for values in evidence]
    found[occupied] = 1 + np.argmax(sums, axis=0)
    return found


def bayes(likelihoods: np.ndarray, volume: np.ndarray, occupied: np.ndarray, reach: int) -> np.ndarray:
    """Classify each voxel by naive Bayes over the intensities of the occupied voxels in its box."""
    return most_likely([table[volume] for table in likelihoods.T], occupied, reach)


def votes(likelihoods: np.ndarray, threshold: np.ndarray, volume: np.ndarray) -> np.ndarray:
    """Classify the voxels that the table `threshold` calls occupied by naive Bayes over boxes of 3^3. Then give each
    the class that most voxels around it have, ROUNDS times."""
    occupied = threshold[volume]
    found = bayes(likelihoods, volume, occupied, 1)
    for _ in range(ROUNDS):
        found = most_likely([found == c for c in range(1, 1 + likelihoods.shape[1])], occupied, 1)
    return found


def predictions(
    counts: np.ndarray, problem: Problem, volume: np.ndarray, label: np.ndarray
) -> dict[str, tuple[Counts, float]]:
    """Return the counts of naive Bayes and votes, and the processor seconds of each. `counts` is the training split's
    histogram of intensities."""
    likelihoods = log_likelihoods(counts)
    jobs = {name: partial(bayes, likelihoods, volume, label > 0, reach) for name, reach in BOXES.items()}
    jobs["votes"] = partial(votes, likelihoods, likely_occupied(counts), volume)
    found = {name: timed(job) for name, job in jobs.items()}
    return {name: (count(predicted, label, problem.classes), seconds) for name, (predicted, seconds) in found.items()}
