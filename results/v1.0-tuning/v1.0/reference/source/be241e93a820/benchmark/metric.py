"""Score the validation split exactly, whatever the batch size, the number of ranks and the sharding.

ScaFFold's score is Dice (Dice 1945, Sorensen 1948). Its counts are integers over voxels. Counts of pieces are added,
then those of ranks, and only then is there a division. Other workloads average one number for each sample and output.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """Voxels by class c, background first: those predicted as c that are c (`intersection`), those predicted as c, and
    those that are c (`true`). Each tuple has `classes` entries."""

    intersection: tuple[int, ...]
    predicted: tuple[int, ...]
    true: tuple[int, ...]

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            tuple(a + b for a, b in zip(self.intersection, other.intersection, strict=True)),
            tuple(a + b for a, b in zip(self.predicted, other.predicted, strict=True)),
            tuple(a + b for a, b in zip(self.true, other.true, strict=True)),
        )


def dice(counts: Counts) -> float:
    """Return the mean of 2 I / (P + T) over the foreground classes. A class that is absent from both counts as 1.

    In float64, with one division a class, added in order of class: every machine and language gets the same bits. So
    does every Python, since this doesn't call sum(), which rounds differently from Python 3.12 on.
    """
    pairs = list(zip(counts.intersection, counts.predicted, counts.true, strict=True))[1:]
    if not pairs:
        raise ValueError("Dice needs at least one foreground class")
    total = 0.0
    for i, p, t in pairs:
        total += 2 * i / (p + t) if p + t else 1.0
    return total / len(pairs)


def sums(values: Iterable[Sequence[float]]) -> list[float]:
    """Return the sum over samples for each output (a parameter or a class). Each sum is rounded once, so neither the
    order of samples nor the rank that holds them matters."""
    return [math.fsum(column) for column in zip(*values, strict=True)]


def mean(sums: Sequence[float], samples: int) -> float:
    """Return the mean over samples and outputs, from the sums over samples by output. Raises ValueError without any."""
    if not sums or samples < 1:
        raise ValueError(f"a mean needs samples and outputs, found {samples} and {len(sums)}")
    return math.fsum(sums) / (len(sums) * samples)
