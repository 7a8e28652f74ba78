"""Student's t against scipy's."""

import pytest
from scipy.special import stdtr, stdtrit

from rules.student import above, within


@pytest.mark.parametrize("degrees", [1, 2, 3, 13, 34, 101])
def test_probabilities_and_quantiles_are_scipys(degrees):
    for t in (0.0, 0.1, 1.0, 3.0, 10.0):
        assert within(t, degrees) == pytest.approx(1 - 2 * stdtr(degrees, -t), abs=1e-12)
    for chance in (0.5, 0.05, 0.001):
        assert above(chance, degrees) == pytest.approx(-stdtrit(degrees, chance), rel=1e-6, abs=1e-9)
