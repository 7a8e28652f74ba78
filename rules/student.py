"""Student's t for whole degrees of freedom, by the finite sums of Abramowitz and Stegun (26.7.3 and 26.7.4): loading
scipy would take a sixth of the time of checking a round."""

import math
from functools import cache

HALVINGS = 80  # of the interval in which a quantile lies
LARGEST = 1e6  # quantile


def within(t: float, degrees: int) -> float:
    """P(-t < T < t) for t of 0 or more and 1 degree of freedom or more."""
    angle, odd = math.atan(t / math.sqrt(degrees)), degrees % 2
    total, term = 0.0, math.cos(angle) if odd else 1.0
    for k in range(2 + odd, degrees + 1, 2):
        total += term
        term *= math.cos(angle) ** 2 * (k - 1) / k
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


@cache
def above(chance: float, degrees: int) -> float:
    """The t that is exceeded with a chance above 0 and up to 1/2."""
    low, high = 0.0, LARGEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 - within(middle, degrees)) / 2 > chance else (low, middle)
    return (low + high) / 2
