"""Numbers for a page: thousands separated, and no more digits than their error deserves."""

import math
from typing import Any

MOST = 6  # decimals
NONE = "-"


def grouped(value: float | None, decimals: int | None = None) -> str:
    """A number with thousands separated: with so many decimals, or whole where it is whole, else four significant
    digits."""
    if value is None or value != value:
        return NONE
    if math.isinf(value):
        return "never"
    if decimals is None:
        decimals = 0 if float(value).is_integer() else decimals_of(abs(value) / 100)
    return f"{value:,.{decimals}f}"


def decimals_of(error: float | None) -> int:
    """The decimals that two significant digits of an error need; never fewer than none, so that whole seconds stay."""
    if not error or not math.isfinite(error):
        return 2
    return max(0, min(MOST, 1 - math.floor(math.log10(error))))


def with_error(value: float | None, error: float | None) -> str:
    """A mean with as many digits as its standard deviation, or half an interval, deserves."""
    return grouped(value) if not error else grouped(value, decimals_of(error))


def plus_minus(value: float | None, error: float | None) -> str:
    """The same, with the error."""
    if value is None or not error:
        return grouped(value)
    return f"{with_error(value, error)} ± {grouped(error, decimals_of(error))}"


def interval(low: float | None, high: float | None) -> str:
    """Both ends, with the digits that half of the interval deserves; "" without one."""
    if low is None or high is None:
        return ""
    decimals = decimals_of((high - low) / 2)
    return f"{grouped(low, decimals)} to {grouped(high, decimals)}"


def quality(value: float | None, target: Any) -> str:
    """A score to four decimals, or as many as tell it from a target that it doesn't equal."""
    if value is None or not math.isfinite(value):
        return NONE
    if not isinstance(target, int | float) or value == target:
        return f"{value:.4f}"
    return next((s for d in range(4, 17) if (s := f"{value:.{d}f}") != f"{target:.{d}f}"), repr(value))
