"""The quantile of Student's t, against SciPy's."""

import pytest
from scipy import stats

from results.statistics.student import t_quantile


@pytest.mark.parametrize("degrees", [0.7, 1, 2, 2.000001, 3, 4.37, 7, 30, 38.4, 127.5, 511, 1e4])
@pytest.mark.parametrize("p", [0.6, 0.9, 0.975, 0.9995])
def test_agrees_with_scipy(p, degrees):
    assert t_quantile(p, degrees) == pytest.approx(stats.t.ppf(p, degrees), rel=1e-10)


def test_normal_with_infinite_degrees():
    assert t_quantile(0.975, float("inf")) == pytest.approx(stats.norm.ppf(0.975))
    assert t_quantile(0.975, 1e9) == pytest.approx(stats.norm.ppf(0.975), rel=1e-6)
