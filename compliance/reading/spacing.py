"""Find seeds that are related: close to each other, or evenly spaced."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

MOST_SPACED = 64  # seeds that are searched for even spacing


def close(seeds: Sequence[int], distance: int, modulus: int) -> list[tuple[int, int, int]]:
    """Return (later index, earlier index, difference) of seeds that differ by less than `distance`, but not by 0,
    modulo `modulus`. Each seed is paired with a neighbour, and is the later one at most once."""
    ring = sorted((seed % modulus, index) for index, seed in enumerate(seeds))
    ring += [(ring[0][0] + modulus, ring[0][1])] if len(ring) > 1 else []
    found: dict[int, tuple[int, int]] = {}
    for (below, one), (above, other) in pairwise(ring):
        if 0 < above - below < distance:
            found.setdefault(max(one, other), (min(one, other), above - below))
    return [(later, earlier, gap) for later, (earlier, gap) in sorted(found.items())]


def evenly_spaced(seeds: Sequence[int], distance: int, modulus: int) -> tuple[int, int, int] | None:
    """Return three of the first MOST_SPACED seeds that are evenly spaced modulo `modulus`, None if there are none. They
    are at least `distance` apart, and the two gaps differ by less than that."""
    ring = sorted({seed % modulus for seed in seeds[:MOST_SPACED]})
    for first in ring:
        for second in ring:
            if min((second - first) % modulus, (first - second) % modulus) >= distance:
                third = _near(ring, (2 * second - first) % modulus, distance, modulus)
                if third not in (None, first, second):
                    return first, second, third
    return None


def _near(ring: list[int], wanted: int, distance: int, modulus: int) -> int | None:
    """Return the seed of a sorted ring that is less than `distance` from `wanted`, or None."""
    at = bisect_left(ring, wanted)
    for seed in (ring[at % len(ring)], ring[at - 1]):
        if min((seed - wanted) % modulus, (wanted - seed) % modulus) < distance:
            return seed
    return None
