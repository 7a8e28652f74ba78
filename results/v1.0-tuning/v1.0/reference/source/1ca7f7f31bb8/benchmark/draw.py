"""Random draws that never change: raw 64-bit words of a counter-based generator, turned into numbers here.

Philox4x64-10 (Salmon et al., SC 2011) with a key of (data seed, what is drawn) and a counter that starts at
the ids of the thing drawn: any draw can be made anywhere, in any order. Only the raw output is used, since
the distributions of numpy.random.Generator may change between versions; the rest is integer arithmetic.
"""

import numpy as np

# What is drawn: the second half of the key. Never renumber: datasets depend on it.
SEARCH = 1  # parameters of a candidate category
REFERENCE = 2  # walkers of the reference points that measure an attractor
INSTANCES = 3  # order of a category's instances
ASSIGNMENT = 4  # order of a split's instances over its volumes
PLACEMENT = 5  # size and position of a fractal in its cell
WALKERS = 6  # walkers of a fractal in its volume
BACKGROUND = 7  # intensities of a slab
FOREGROUND = 8  # intensities of a slab's occupied voxels
POOLS = 9  # order of all instances, of which the first are trained on
CELLS = 10  # order of a volume's cells, of which the first hold a fractal
FACTORS = 11  # factors of held-out instances

MASK = (1 << 64) - 1


def words(seed: int, what: int, *ids: int, count: int) -> np.ndarray:
    """`count` uniform uint64 words, shape (count,), for up to three ids; fewer ids mean zeros behind."""
    if len(ids) > 3:
        raise ValueError(f"found {len(ids)} ids, wanted at most 3")
    counter = [0, *ids, *(0,) * (3 - len(ids))]
    key = np.array([seed & MASK, what], dtype=np.uint64)
    return np.random.Philox(key=key, counter=np.array(counter, dtype=np.uint64)).random_raw(count)


def to_bytes(raw: np.ndarray) -> np.ndarray:
    """The words' bytes, uint8, least significant first on every machine: shape (8 * words,)."""
    return raw.astype("<u8", copy=False).view(np.uint8)


def below(word: int, bound: int) -> int:
    """An integer in [0, bound) from one 64-bit word: the high half of word * bound."""
    return (int(word) * bound) >> 64


def between(word: int, low: int, high: int) -> int:
    """An integer in [low, high], both included, from one 64-bit word."""
    return low + below(word, high - low + 1)


def shuffled(raw: np.ndarray) -> list[int]:
    """A permutation of range(len(raw)): Fisher-Yates, one word a swap."""
    order = list(range(len(raw)))
    for i in range(len(order) - 1, 0, -1):
        j = below(raw[i], i + 1)
        order[i], order[j] = order[j], order[i]
    return order
