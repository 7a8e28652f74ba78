"""A classifier that sees only the shape within a small box: random features of its occupancy, and ridge regression.

Random features with a linear classifier on top (Rahimi and Recht 2008) are a network whose first layer is not trained:
two matrix products and one linear system. The weights of that layer are differences between boxes of two categories
(Zhu et al. 2014, "Constrained extreme learning machine"). At the same cost they leave half the errors of normally
distributed weights. The classifier gets the occupancy of the box around a voxel, and is told which voxels are occupied.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np

from benchmark.metric import Counts, dice
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.shortcut_parts import Part, each, timed
from benchmark.scaffold.shortcut_tables import box_sum

SIDES = (3, 5, 7, 9)  # of the boxes
SIDE = max(SIDES)
VOTES = 3  # reach of the box of voxels that vote
WIDE = 7 / 8  # of a cell's side: that of the widest box of voxels that vote
TRAIN = 100_000  # voxels to fit on
VALIDATION = 60_000  # voxels to score on
FEATURES = 2000  # random ones
GAIN = 2.0  # standard deviation of a feature's weighted sum; that of its bias is 1
RIDGE = 1e-4  # of the mean square of a feature
BLOCK = 4096  # voxels at a time
SEED = 20261122  # of voxels and features


@dataclass(frozen=True)
class Boxes:
    """Boxes of SIDE^3 voxels around n occupied voxels: eight voxels a byte, uint8 (n, SIDE^3 / 8), and the middle
    voxel's category (n,)."""

    bits: np.ndarray
    category: np.ndarray

    def blocks(self, side: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the inner boxes of `side`^3 voxels, float32 (BLOCK, side^3) of 0 and 1, and their categories."""
        inner = slice((SIDE - side) // 2, (SIDE + side) // 2)
        for first in range(0, len(self.bits), BLOCK):
            block = np.unpackbits(self.bits[first : first + BLOCK], axis=1, count=SIDE**3)
            block = block.reshape(-1, SIDE, SIDE, SIDE)[:, inner, inner, inner]
            yield block.reshape(len(block), -1).astype(np.float32), self.category[first : first + BLOCK]


def cut(share: float, problem: Problem, volume: np.ndarray, label: np.ndarray) -> Boxes:
    """Return the boxes around a random share of the occupied voxels. Outside the volume nothing is occupied."""
    occupied = np.argwhere(label)
    # The key depends on the part itself, so that parts differ and neither order nor number of workers matters.
    draws = np.random.Generator(np.random.Philox(key=[SEED, len(occupied)])).random(len(occupied))
    z, y, x = occupied[draws < share].T
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(label > 0, SIDE // 2), (SIDE,) * 3)
    bits = np.packbits(windows[z, y, x].reshape(len(z), -1), axis=1)
    return Boxes(bits, label[z, y, x] - 1)


def gather(problem: Problem, parts: list[Part], occupied: int, wanted: int, workers: int) -> Boxes:
    """Return the boxes of about `wanted` of the `occupied` voxels of some parts, each equally likely."""
    found = each(partial(cut, min(1.0, wanted / occupied)), problem, parts, workers, "boxes")
    return Boxes(np.concatenate([b.bits for b in found]), np.concatenate([b.category for b in found]))


@dataclass(frozen=True)
class Learner:
    """A fitted classifier of boxes of `side`^3 voxels."""

    side: int
    mean: np.ndarray  # (side^3,)
    weight: np.ndarray  # of the random features (side^3, FEATURES)
    bias: np.ndarray  # (FEATURES,)
    readout: np.ndarray  # (FEATURES + side^3 + 1, categories)

    def outputs(self, boxes: Boxes) -> np.ndarray:
        """Return how much speaks for each category of each box's middle voxel (n, categories)."""
        found = [features(x, self.mean, self.weight, self.bias) @ self.readout for x, _ in boxes.blocks(self.side)]
        return np.concatenate([np.empty((0, self.readout.shape[1]), np.float32), *found])


def features(x: np.ndarray, mean: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Return the linear classifier's input, float32 (n, FEATURES + side^3 + 1): random ReLUs, occupancy, a constant."""
    x = (x - mean) / deviation(mean)
    return np.concatenate([np.maximum(x @ weight + bias, 0), x, np.ones((len(x), 1), np.float32)], axis=1)


def deviation(mean: np.ndarray) -> np.ndarray:
    """Return the standard deviations of voxels that are 0 or 1, with a lower bound for those that hardly vary."""
    return np.sqrt(np.maximum(mean * (1 - mean), np.float32(1e-3)))


def learn(boxes: Boxes, side: int, categories: int) -> Learner:
    """Fit a learner by ridge regression on one-hot categories, by its normal equations."""
    mean = sum(x.sum(axis=0, dtype=np.float64) for x, _ in boxes.blocks(side)) / max(1, len(boxes.bits))
    mean = mean.astype(np.float32)
    weight, bias = first_layer(boxes, side, mean)
    size = weight.shape[1] + side**3 + 1
    squares, products = np.zeros((size, size)), np.zeros((size, categories))
    for x, category in boxes.blocks(side):
        known = features(x, mean, weight, bias)
        squares += known.T @ known
        products += known.T @ np.eye(categories, dtype=np.float32)[category]
    squares[np.diag_indices(size)] += RIDGE * np.trace(squares) / size
    return Learner(side, mean, weight, bias, np.linalg.solve(squares, products).astype(np.float32))


def first_layer(boxes: Boxes, side: int, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights (side^3, FEATURES) and the biases (FEATURES,). The weights are differences of random pairs of
    boxes, of two categories where there are two."""
    random = np.random.Generator(np.random.Philox(key=[SEED, side]))
    pairs = random.integers(0, len(boxes.bits), (8 * FEATURES, 2))
    differ = boxes.category[pairs[:, 0]] != boxes.category[pairs[:, 1]]
    pairs = (pairs[differ] if differ.any() else pairs)[:FEATURES]
    here, there = (Boxes(boxes.bits[column], boxes.category[column]).blocks(side) for column in pairs.T)
    weight = np.concatenate([a - b for (a, _), (b, _) in zip(here, there, strict=True)]) / deviation(mean)
    weight *= np.float32(GAIN) / np.maximum(np.linalg.norm(weight, axis=1, keepdims=True), np.float32(1e-6))
    return np.ascontiguousarray(weight.T), random.standard_normal(len(weight), np.float32)


def counts(found: np.ndarray, true: np.ndarray, categories: int) -> Counts:
    """Return the counts of found and true categories (n,), with no voxels of background."""
    hit = found[found == true]
    return Counts(*((0, *np.bincount(a, minlength=categories).tolist()) for a in (hit, found, true)))


def vote(
    learner: Learner, reaches: Sequence[int], problem: Problem, volume: np.ndarray, label: np.ndarray
) -> list[tuple[Counts, float]]:
    """Return, for each reach, the counts of a volume whose occupied voxels take the category with the highest sum of
    the learner's outputs over the occupied voxels within reach, and processor seconds."""
    occupied = label > 0
    found = np.zeros((problem.categories, *label.shape), np.float32)
    found[:, occupied], seconds = timed(lambda: learner.outputs(cut(1.0, problem, volume, label)).T)

    def winners(reach: int) -> Counts:
        category = np.argmax([box_sum(values, reach)[occupied] for values in found], axis=0)
        return counts(category, label[occupied] - 1, problem.categories)

    return [(counted, seconds + more) for counted, more in (timed(winners, reach) for reach in reaches)]


def vote_dice(
    train: Boxes, side: int, reaches: Sequence[int], problem: Problem, parts: list[Part], workers: int
) -> list[tuple[float, float]]:
    """Return, for each reach, the validation Dice of the votes, and processor seconds."""
    learner, seconds = timed(learn, train, side, problem.categories)
    volumes = each(partial(vote, learner, reaches), problem, parts, workers, "votes of boxes")
    return [
        (dice(reduce(Counts.__add__, (part for part, _ in of))), seconds + sum(took for _, took in of))
        for of in zip(*volumes, strict=True)
    ]


def widest_reach(problem: Problem) -> int:
    """Return the reach of the widest box of voxels that vote: it sees most of a fractal, and little of others."""
    return (int(WIDE * problem.cell) - 1) // 2


def box_dice(train: Boxes, validation: Boxes, side: int, categories: int) -> float:
    """Return the validation Dice of the learner with boxes of that side."""
    found = learn(train, side, categories).outputs(validation).argmax(axis=1)
    return dice(counts(found, validation.category, categories))
