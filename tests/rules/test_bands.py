"""Bands of honest runs."""

import math

import pytest

from rules.bands import HeldOut, Reevaluation


@pytest.mark.parametrize("fields", [(0, 0.1), (0.1, 1), (math.nan, 0.1)])
def test_a_band_of_reevaluations_is_two_parts_of_one(fields):
    with pytest.raises(ValueError, match="wanted a number above 0 and below 1"):
        Reevaluation(*fields)
    Reevaluation(1e-9, 0.999)


def test_the_lower_end_of_held_out_scores():
    band = HeldOut(0.01, 0.002, 16)
    assert band.least(4) == pytest.approx(0.01 - 4 * 0.002 * math.sqrt(17 / 16))
    assert band.least(0) == 0.01


@pytest.mark.parametrize(
    ("fields", "name"),
    [((0, 0, 9), "spread"), ((0, -1, 9), "spread"), ((0, math.inf, 9), "spread"), ((0, 1, 1), "runs")],
)
def test_a_band_of_held_out_scores_has_a_spread(fields, name):
    with pytest.raises(ValueError, match=f"{name}: found"):
        HeldOut(*fields)
    HeldOut(0, 1, 2)
