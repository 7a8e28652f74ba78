"""Numbers for a page: thousands separated, and no more digits than their error allows."""

import math
from typing import Any

from results.tables.formatting import decimals_of

NONE = "-"


def grouped(value: float | None, decimals: int | None = None) -> str:
    """A number with thousands separated. By default whole numbers have no decimals, others four significant digits."""
    if value is None or value != value:
        return NONE
    if math.isinf(value):
        return "never"
    if decimals is None:
        decimals = 0 if float(value).is_integer() else decimals_of(abs(value) / 100)
    return f"{value:,.{decimals}f}"


def with_error(value: float | None, error: float | None) -> str:
    """A mean, with as many digits as its standard deviation, or half its interval, needs."""
    return grouped(value) if not error else grouped(value, decimals_of(error))


def plus_minus(value: float | None, error: float | None) -> str:
    """A mean and its error: "28.9 ± 1.2"."""
    if value is None or not error:
        return grouped(value)
    return f"{with_error(value, error)} ± {grouped(error, decimals_of(error))}"


def interval(low: float | None, high: float | None) -> str:
    """An interval in words: "25.6 to 32.2", with the digits that half its width needs; "" without one."""
    if low is None or high is None:
        return ""
    decimals = decimals_of((high - low) / 2)
    return f"{grouped(low, decimals)} to {grouped(high, decimals)}"


def quality(value: float | None, target: Any) -> str:
    """A score to four decimals, or to as many as tell it from a target that it misses or exceeds."""
    if value is None or not math.isfinite(value):
        return NONE
    if not isinstance(target, int | float) or value == target:
        return f"{value:.4f}"
    return next((s for d in range(4, 17) if (s := f"{value:.{d}f}") != f"{target:.{d}f}"), repr(value))
