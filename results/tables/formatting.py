"""Numbers for a reader: seconds, minutes, anything."""

import math
from typing import Any


def hundredths(seconds: float | None) -> str:
    """Seconds to two decimals, so that a column of them lines up."""
    return "-" if seconds is None else "never" if math.isinf(seconds) else f"{seconds:.2f}"


def minutes(seconds: float | None) -> str:
    """To two decimals, as the rounds publish them."""
    return "-" if seconds is None else f"{seconds / 60:.2f}"


def show(value: Any) -> str:
    """A number for a reader: whole when it is, else to a hundredth at most, never in powers of ten."""
    if value is None or value != value:
        return "-"
    if math.isinf(value):
        return "never"
    if float(value).is_integer():
        return f"{int(value)}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3g}"
