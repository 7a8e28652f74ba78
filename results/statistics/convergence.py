"""Convergence held against reference points: epochs to the target at the same batch size.

A submission that needs fewer epochs than the reference may be lucky, better, or not doing the same thing. The
test says how surprising its epochs are; it changes no score.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rules.permutation import permutation_p


@dataclass(frozen=True)
class Surprise:
    """`p`: the probability, were both from one population, of epochs at most as large; `speedup`: reference mean over
    the submission's; `detectable`: the smallest uniform speed-up of the submission that would have given p <= 0.05,
    None where no speed-up could (too few runs)."""

    p: float
    speedup: float
    detectable: float | None


def surprise(epochs: Sequence[float], reference: Sequence[float], level: float = 0.05) -> Surprise:
    """An exact one-sided permutation test on the sum of epochs (Fisher 1935; Pitman 1937).

    Raises ValueError when either is empty or holds what is no positive finite number.
    """
    for name, values in (("epochs", epochs), ("reference", reference)):
        if not values or not all(math.isfinite(v) and v > 0 for v in values):
            raise ValueError(f"{name}: found {list(values)}, wanted positive numbers")
    mean = math.fsum(reference) / len(reference)
    own = math.fsum(epochs) / len(epochs)
    return Surprise(permutation_p(epochs, reference), mean / own, detectable(epochs, reference, level))


def detectable(epochs: Sequence[float], reference: Sequence[float], level: float) -> float | None:
    """The smallest speed-up s >= 1 (to 0.01) for which a submission with the reference's own mean and the spread that
    it showed, divided by s, would be surprising."""
    centre = math.fsum(reference) / math.fsum(epochs) * len(epochs) / len(reference)
    neutral = [e * centre for e in epochs]
    if permutation_p([min(reference) / 1e6] * len(epochs), reference) > level:
        return None
    low, high = 100, 10_000  # hundredths: p falls as s grows
    while low < high:
        middle = (low + high) // 2
        if permutation_p([e * 100 / middle for e in neutral], reference) <= level:
            high = middle
        else:
            low = middle + 1
    return low / 100
