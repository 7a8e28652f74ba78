"""What comes of weights that were evaluated again, by the bands."""

import pytest

from harness.auditing.logged import Epoch
from implementations.pytorch.task import Evaluation
from implementations.pytorch_tools.outcome import gain, judge, judge_held_out, judge_together
from rules.bands import HeldOut, Reevaluation

LOGGED = Epoch(1, 1.0, 0.5, {"true": (100, 200)})


def found(score=0.5, counts=(100, 200)):
    return Evaluation(score, {"true": list(counts)})


@pytest.mark.parametrize(
    ("evaluation", "band", "code"),
    [
        (found(), None, 0),
        (found(counts=(100, 201)), None, 2),
        (found(0.5 + 1e-15), None, 2),
        (found(counts=(75, 200)), Reevaluation(0.25, 0.125), 0),
        (found(counts=(74, 200)), Reevaluation(0.25, 0.125), 1),
        (found(0.625), Reevaluation(0.25, 0.125), 0),
        (found(0.375), Reevaluation(0.25, 0.125), 0),
        (found(0.626), Reevaluation(0.25, 0.125), 1),
    ],
)
def test_a_band_has_two_limits(evaluation, band, code):
    assert judge(LOGGED, evaluation, band).code == code


@pytest.mark.parametrize(
    ("found", "least", "code"),
    [(0.40625, -0.125, 0), (0.375, -0.125, 0), (0.374, -0.125, 1), (0.374, None, 2)],
)
def test_a_held_out_score_has_a_lower_end(found, least, code):
    assert judge_held_out(LOGGED, Evaluation(found, {}), False, least).code == code
    assert judge_held_out(LOGGED, Evaluation(1 - found, {}), True, least).code == code


def test_a_gain_is_positive_where_the_score_is_better():
    assert (gain(0.5, 0.75, False), gain(0.5, 0.75, True)) == (0.25, -0.25)


@pytest.mark.parametrize(("mean", "code"), [(-0.0061, 1), (-0.0059, 0), (0.01, 0)])
def test_runs_of_a_set_are_judged_by_their_mean(mean, code):
    """Two runs and two honest ones: 4 deviations of 0.0025 around 0.004, since 1/2 + 1/2 is 1."""
    found = judge_together([mean - 0.01, mean + 0.01], HeldOut(0.004, 0.0025, 2), 4)
    assert (found.code, found.gain) == (code, pytest.approx(mean))
    assert "wanted -0.006000 or more" in found.verdict and ("lower than honest" in found.verdict) == bool(code)
