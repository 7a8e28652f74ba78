"""The quantile of Student's t, against closed forms."""

import math
from statistics import NormalDist

import pytest

from results.statistics.student import Part, half_width, t_quantile, welch


@pytest.mark.parametrize("p", [0.025, 0.6, 0.9995])
def test_closed_forms(p):
    """Those of one degree of freedom (Cauchy's distribution), of two, and of infinitely many."""
    assert t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-9)
    assert t_quantile(p, 2) == pytest.approx((2 * p - 1) / math.sqrt(2 * p * (1 - p)), rel=1e-9)
    assert t_quantile(p, math.inf) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-9)


def test_degrees_of_equal_causes_of_error_add_up():
    assert welch([Part(0.5, 4), Part(0.5, 4)]) == pytest.approx(8) and welch([Part(0.5, 4), Part(0.0, 9)]) == 4
    assert welch([Part(0.0, 4)]) is None and half_width([Part(0.0, 4)], 0.05) == 0
    assert half_width([Part(9.0, 3)], 0.05) == pytest.approx(3 * t_quantile(0.975, 3))
