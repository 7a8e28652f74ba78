"""Convergence held against reference points: epochs to the target at the same batch size. Information only.

A submission that needs fewer epochs than the reference may be lucky, better, or not doing the same thing. The
test says how surprising its epochs are; it changes no score.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

MOST_LISTED = 20_000  # arrangements that are looked at one by one; of more, sums are counted
MOST_RUNS = 60  # of both together: the number of arrangements fits 63 bits
FINE = 1000  # parts into which the largest value is divided to count sums of what isn't whole


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


def permutation_p(epochs: Sequence[float], reference: Sequence[float]) -> float:
    """P(sum of a random choice of len(epochs) among all <= the sum seen), exact over all choices.

    Values that aren't whole are rounded up to a thousandth of the largest where there are very many choices. Raises
    ValueError above 60 values.
    """
    pool, n = [*epochs, *reference], len(epochs)
    if len(pool) > MOST_RUNS:
        raise ValueError(f"found {len(pool)} runs, wanted at most {MOST_RUNS}")
    ways = math.comb(len(pool), n)
    if not all(float(v).is_integer() for v in pool):
        if ways <= MOST_LISTED:
            seen = math.fsum(epochs) * (1 + 1e-12)
            return sum(math.fsum(c) <= seen for c in itertools.combinations(pool, n)) / ways
        pool = [math.ceil(v * FINE / max(pool)) for v in pool]
    whole = [int(v) for v in pool]
    return count_sums(whole, n, sum(whole[:n])) / ways


def count_sums(pool: Sequence[int], n: int, most: int) -> int:
    """How many choices of n items of the pool have a sum of at most `most`."""
    import numpy as np  # takes a quarter of the time of checking a small round; most summaries need no test

    ways = np.zeros((n + 1, most + 1), dtype=np.int64)  # [items chosen, their sum]
    ways[0, 0] = 1
    for value in pool:
        if value <= most:
            ways[1:, value:] += ways[:-1, : most + 1 - value].copy()
    return int(ways[n].sum())


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
