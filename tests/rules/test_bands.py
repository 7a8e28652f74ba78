import math

import pytest

from rules.bands import HeldOut, Reevaluation


def test_the_lower_end_of_held_out_scores():
    band = HeldOut(0.01, 0.002, 16)
    assert band.least(4) == pytest.approx(0.01 - 4 * 0.002 * math.sqrt(17 / 16))
    assert band.least(0) == 0.01


@pytest.mark.parametrize(
    ("band", "fields", "said"),
    [
        (Reevaluation, (0, 0.1), "counts: found 0, wanted a number above 0 and below 1"),
        (Reevaluation, (0.1, 1), "score: found 1, wanted a number above 0 and below 1"),
        (HeldOut, (0, 0, 9), "spread: found 0, wanted a number above 0"),
        (HeldOut, (0, math.inf, 9), "spread: found inf"),
        (HeldOut, (0, 1, 1), "runs: found 1, wanted 2 or more"),
    ],
)
def test_what_is_no_band_is_refused(band, fields, said):
    with pytest.raises(ValueError, match=said):
        band(*fields)
    assert Reevaluation(1e-9, 0.999) and HeldOut(0, 1e-9, 2)
