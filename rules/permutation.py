"""An exact one-sided permutation test on the sum of epochs (Fisher 1935; Pitman 1937)."""

import math
from collections.abc import Sequence

MOST_RUNS = 60  # of both samples, so that the number of arrangements fits into 63 bits
FINE = 1000  # steps up to the largest value, to which values that aren't whole are rounded up


def permutation_p(epochs: Sequence[float], reference: Sequence[float]) -> float:
    """Return P(the sum of a random choice of len(epochs) values among all is at most sum(epochs)), over all choices.

    It is exact for whole values; others are rounded up to a thousandth of the largest. Raises ValueError above 60
    values.
    """
    pool, n = [*epochs, *reference], len(epochs)
    if len(pool) > MOST_RUNS:
        raise ValueError(f"found {len(pool)} runs, wanted at most {MOST_RUNS}")
    whole = all(float(v).is_integer() for v in pool)
    steps = [int(v) if whole else math.ceil(v * FINE / max(pool)) for v in pool]
    return count_sums(steps, n, sum(steps[:n])) / math.comb(len(pool), n)


def count_sums(pool: Sequence[int], n: int, most: int) -> int:
    """Return the number of choices of n items of the pool whose sum is at most `most`."""
    import numpy as np  # imported here: it would take a quarter of the time of checking a small round

    ways = np.zeros((n + 1, most + 1), dtype=np.int64)  # [items chosen, their sum]
    ways[0, 0] = 1
    for value in pool:
        if value <= most:
            ways[1:, value:] += ways[:-1, : most + 1 - value].copy()
    return int(ways[n].sum())
