"""Score segmentation by the mean over samples and foreground classes of Dice, as ScaFFold's authors do.

Such a mean doesn't follow from counts of the whole split, as benchmark/metric.py's Dice does. So an evaluation logs
integers for each sample: 72 samples, 5 classes and 3 counts are 10 KB of a log at scale 11. Counts of a sample's boxes
are added, then each sample's Dice are divided, and each class's sum over samples is rounded once. So the score depends
neither on ranks nor on boxes, and a checker recomputes it to the bit.
"""

from collections.abc import Iterable, Sequence

from benchmark.metric import sums

Row = Sequence[Sequence[int]]  # a sample: (hits, predicted, true voxels) of each foreground class


def sample_dice(row: Row) -> list[float]:
    """Return Dice of each foreground class of a sample. A class that is absent from both counts as 1."""
    return [2 * i / (p + t) if p + t else 1.0 for i, p, t in row]


def dice_sums(rows: Iterable[Row]) -> list[float]:
    """Return the sum over samples of each class's Dice."""
    return sums(map(sample_dice, rows))


def ordered(rows: Iterable[Row]) -> list[list[list[int]]]:
    """Return samples in the order in which they are logged: by their true voxels, then by all counts. It is one order
    whatever the ranks, and the same samples come first in every evaluation."""
    plain = [[list(counts) for counts in row] for row in rows]
    return sorted(plain, key=lambda row: ([true for *_, true in row], row))
