"""Quantiles of Student's t. Importing SciPy for them takes longer than checking a thousand logs."""

import math
from functools import lru_cache
from statistics import NormalDist

EXACT = 1e-15  # relative accuracy of the continued fraction


@lru_cache(maxsize=4096)
def t_quantile(p: float, degrees: float) -> float:
    """The quantile of Student's t for 0.5 < p < 1 and `degrees` of freedom above 0, possibly infinite.

    Newton's method starts at the normal quantile. The distribution function is concave there, so no step overshoots.
    """
    t = NormalDist().inv_cdf(p)
    if math.isinf(degrees):
        return t
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    for _ in range(200):
        density = scale * math.exp(-(degrees + 1) / 2 * math.log1p(t * t / degrees))
        step = (p - 1 + upper_tail(t, degrees)) / density
        t += step
        if abs(step) < 1e-14 * t:
            break
    return t


def upper_tail(t: float, degrees: float) -> float:
    """P(T > t) for t > 0: half the regularized incomplete beta function I_x(degrees / 2, 1/2), x = df / (df + t^2)."""
    a, b = degrees / 2, 0.5
    x, y = degrees / (degrees + t * t), t * t / (degrees + t * t)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    front = math.exp(a * math.log(x) + b * math.log(y) - log_beta)
    if x < (a + 1) / (a + b + 2):
        return front * fraction(a, b, x) / a / 2
    return 0.5 - front * fraction(b, a, y) / b / 2


def fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (Abramowitz and Stegun 26.5.8)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = 1 + term / c, 1 / (1 + term * d)
            value *= c * d
        if abs(c * d - 1) < EXACT:
            break
    return value
