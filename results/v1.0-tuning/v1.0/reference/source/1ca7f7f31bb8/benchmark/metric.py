"""Scores of the validation split: exact, additive, independent of batch, rank and shard counts.

ScaFFold's is Dice (Dice 1945, Sorensen 1948). Its counts are integers over voxels; whoever holds a piece of the split
adds its own, ranks add theirs, and only then is there a division. Other workloads average a number a sample and output.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Counts:
    """Voxels per class (background first, `classes` entries each): predicted as c and truly c
    (`intersection`), predicted as c, truly c."""

    intersection: tuple[int, ...]
    predicted: tuple[int, ...]
    true: tuple[int, ...]

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            tuple(a + b for a, b in zip(self.intersection, other.intersection, strict=True)),
            tuple(a + b for a, b in zip(self.predicted, other.predicted, strict=True)),
            tuple(a + b for a, b in zip(self.true, other.true, strict=True)),
        )


def count(predicted: "np.ndarray", true: "np.ndarray", classes: int) -> Counts:
    """Counts of two integer arrays of the same shape, with values in [0, classes)."""
    import numpy as np  # here, so that the checker starts without it

    if predicted.shape != true.shape:
        raise ValueError(f"shapes differ: predicted {predicted.shape}, true {true.shape}")
    hits = true[predicted == true]
    return Counts(*(tuple(np.bincount(a.ravel(), minlength=classes).tolist()) for a in (hits, predicted, true)))


def dice(counts: Counts) -> float:
    """Mean over foreground classes of 2 I / (P + T); a class absent from both counts as 1.

    Computed with one division a class in float64, classes in order, so that everyone gets the same bits.
    """
    pairs = list(zip(counts.intersection, counts.predicted, counts.true, strict=True))[1:]
    if not pairs:
        raise ValueError("Dice needs at least one foreground class")
    scores = [2 * i / (p + t) if p + t else 1.0 for i, p, t in pairs]
    return sum(scores) / len(scores)


def sums(values: Iterable[Sequence[float]]) -> list[float]:
    """Sums over samples of one number by output (a parameter, a class): rounded once, so that the order of samples,
    and who brought them, doesn't matter."""
    return [math.fsum(column) for column in zip(*values, strict=True)]


def mean(sums: Sequence[float], samples: int) -> float:
    """The mean over samples and outputs, from the sums over samples by output. Raises ValueError without any."""
    if not sums or samples < 1:
        raise ValueError(f"a mean needs samples and outputs, found {samples} and {len(sums)}")
    return math.fsum(sums) / (len(sums) * samples)
