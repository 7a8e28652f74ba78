"""Comparing a set's epochs to the target with the reference's at the same batch size.

A submission that needs fewer epochs than the reference may be lucky, better, or not doing the same thing. The test says
how probable such epochs are by chance. It changes no score.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rules.permutation import permutation_p


@dataclass(frozen=True)
class Surprise:
    """The result of the test. `p` is the probability of epochs this low or lower if both sets came from one population.
    `speedup` is the reference's mean epochs over the submission's. `detectable` is the smallest uniform speed-up that
    would have given p <= 0.05, None if no speed-up could (too few runs)."""

    p: float
    speedup: float
    detectable: float | None


def surprise(epochs: Sequence[float], reference: Sequence[float], level: float = 0.05) -> Surprise:
    """An exact one-sided permutation test on the sum of epochs (Fisher 1935; Pitman 1937).

    Raises ValueError if either is empty, or holds anything but positive finite numbers.
    """
    for name, values in (("epochs", epochs), ("reference", reference)):
        if not values or not all(math.isfinite(v) and v > 0 for v in values):
            raise ValueError(f"{name}: found {list(values)}, wanted positive numbers")
    mean = math.fsum(reference) / len(reference)
    own = math.fsum(epochs) / len(epochs)
    return Surprise(permutation_p(epochs, reference), mean / own, detectable(epochs, reference, level))


def detectable(epochs: Sequence[float], reference: Sequence[float], level: float) -> float | None:
    """The smallest speed-up (at least 1, to 0.01) that the test would notice: the submission's epochs, scaled to the
    reference's mean and divided by the speed-up, give p <= `level`. None if no speed-up does."""
    centre = math.fsum(reference) / math.fsum(epochs) * len(epochs) / len(reference)
    neutral = [e * centre for e in epochs]
    if permutation_p([min(reference) / 1e6] * len(epochs), reference) > level:
        return None
    low, high = 100, 10_000  # speed-ups in hundredths; p falls as they grow
    while low < high:
        middle = (low + high) // 2
        if permutation_p([e * 100 / middle for e in neutral], reference) <= level:
            high = middle
        else:
            low = middle + 1
    return low / 100
