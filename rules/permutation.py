"""An exact one-sided permutation test on the sum of epochs (Fisher 1935; Pitman 1937)."""

import itertools
import math
from collections.abc import Sequence

MOST_LISTED = 20_000  # arrangements that are looked at one by one; of more, sums are counted
MOST_RUNS = 60  # of both together: the number of arrangements fits 63 bits
FINE = 1000  # parts into which the largest value is divided to count sums of what isn't whole


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
