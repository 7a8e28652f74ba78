"""The point of each trial, computed exactly: the same to the bit wherever it is computed.

All but `optuna` follow from campaign, shift and index alone. Fractions of an axis are exact; logarithms and powers are
those of `decimal`, which are rounded correctly; a value has 4 significant digits.

Halton's sequence (Halton 1960) takes as coordinate j of point i the digits of i in the jth prime base, in reverse,
behind the point. Here each digit is first permuted, by a permutation of its own that follows from the shift, the axis
and the place (random digit scrambling: Matousek 1998), as far as the base's power exceeds 2^40. So each coordinate of
each point is uniform over all shifts, and any two points of a sequence fill the space evenly.
"""

import hashlib
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from benchmark.tuning.campaign import Axis, Campaign

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
FINEST = 1 << 40  # parts of an axis
DIGITS = 4  # of a value
EXACT = Context(prec=50, rounding=ROUND_HALF_EVEN)
SHORT = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)


def point(campaign: Campaign, shift: str, index: int) -> dict[str, Any]:
    """The settings of trial `index`, from 0, by name. `shift` is 64 hexadecimal digits.

    Raises ValueError for the sampler `optuna`, whose points follow from what it was told.
    """
    names = list(campaign.space)
    if campaign.sampler == "list":
        return {name: campaign.points[index][name] for name in names}
    if campaign.sampler == "grid":
        return grid_point(campaign, index)
    if campaign.sampler == "optuna":
        raise ValueError("sampler: found optuna, wanted one whose points can be computed")
    draw = halton if campaign.sampler == "halton" else uniform
    return {name: at(campaign.space[name], draw(shift, axis, index)) for axis, name in enumerate(names)}


def halton(shift: str, axis: int, index: int) -> Fraction:
    """Coordinate `axis` of point `index` of the scrambled sequence, above 0 and below 1."""
    base, value, parts = PRIMES[axis], 0, 1
    place = 0
    while parts < FINEST:
        index, digit = divmod(index, base)
        value = value * base + permutation(shift, axis, place)[digit]
        parts, place = parts * base, place + 1
    return Fraction(2 * value + 1, 2 * parts)


@lru_cache(maxsize=4096)
def permutation(shift: str, axis: int, place: int) -> tuple[int, ...]:
    """What digits become at a place: the order of the sha256 of "<shift> <axis> <place> <digit>"."""

    def key(digit: int) -> bytes:
        return hashlib.sha256(f"{shift} {axis} {place} {digit}".encode()).digest()

    return tuple(sorted(range(PRIMES[axis]), key=key))


def uniform(shift: str, axis: int, index: int) -> Fraction:
    """An independent coordinate: the first 40 bits of the sha256 of "<shift> <axis> <index>"."""
    first = hashlib.sha256(f"{shift} {axis} {index}".encode()).digest()[:5]
    return Fraction(2 * int.from_bytes(first, "big") + 1, 2 * FINEST)


def grid_point(campaign: Campaign, index: int) -> dict[str, Any]:
    """Trial `index` of a grid: the last setting by name changes fastest."""
    found = {}
    for name, axis in reversed(campaign.space.items()):
        index, step = divmod(index, len(axis.values) if axis.values else axis.points)
        found[name] = axis.values[step] if axis.values else at(axis, Fraction(step, axis.points - 1))
    return {name: found[name] for name in campaign.space}


def at(axis: Axis, share: Fraction) -> Any:
    """The value at a share, from 0 to 1, of an axis."""
    if axis.values is not None:
        return axis.values[min(int(share * len(axis.values)), len(axis.values) - 1)]
    low, high = (
        Decimal(axis.low),
        EXACT.add(Decimal(axis.high), axis.integer),
    )  # each whole number has a part of its own
    part = EXACT.divide(Decimal(share.numerator), Decimal(share.denominator))
    if axis.scale == "log":
        first, last = EXACT.ln(low), EXACT.ln(high)
        value = EXACT.exp(EXACT.fma(part, EXACT.subtract(last, first), first))
    else:
        value = EXACT.fma(part, EXACT.subtract(high, low), low)
    if axis.integer:
        return min(int(value.to_integral_value(ROUND_FLOOR)), int(axis.high))
    return min(max(float(SHORT.plus(value)), axis.low), axis.high)
