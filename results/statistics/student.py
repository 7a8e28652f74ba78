"""Student's t: its quantiles, and the width of intervals with one or several causes of error."""

import math
from collections.abc import Sequence
from typing import NamedTuple

WIDEST = 100.0  # of a logarithm: runs of very unlike speed tell nothing


class Part(NamedTuple):
    """One cause of error: the squared standard error that it brings, and its degrees of freedom."""

    squared: float
    degrees: float


def t_quantile(p: float, degrees: float) -> float:
    """The quantile of Student's t for 0 < p < 1 and `degrees` of freedom above 0, possibly infinite."""
    from scipy.special import stdtrit  # takes 0.2 s to import

    return float(stdtrit(degrees, p))


def welch(parts: Sequence[Part]) -> float | None:
    """Welch's degrees of freedom of all causes of error together; None without any error."""
    total = math.fsum(p.squared for p in parts)
    return total**2 / math.fsum(p.squared**2 / p.degrees for p in parts) if total else None


def half_width(parts: Sequence[Part], error: float) -> float:
    """Half of the width of a logarithm's interval that misses with probability `error`, WIDEST at most; 0 without any
    error."""
    degrees = welch(parts)
    if not degrees:
        return 0.0
    return min(WIDEST, t_quantile(1 - error / 2, degrees) * math.sqrt(math.fsum(p.squared for p in parts)))
