"""How far a replay is from its run."""

import dataclasses

import pytest

from implementations.pytorch.auditing.comparison import Distance, distance, distances
from implementations.pytorch.auditing.logged import Epoch

LOGGED = Epoch(2.0, 0.25, {"true": (10, 20)})


def test_the_same_numbers_are_exact():
    assert distance(LOGGED, LOGGED) == Distance(0, 0, True)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"loss": 2.5}, Distance(0.25, 0, False)),
        ({"loss": 1.5}, Distance(0.25, 0, False)),
        ({"score": 0.5}, Distance(0, 0.25, False)),
        ({"facts": {"true": (10, 21)}}, Distance(0, 0, False)),  # one count, and the score rounds to the same
    ],
)
def test_each_difference_is_seen(change, wanted):
    assert distance(LOGGED, dataclasses.replace(LOGGED, **change)) == wanted


def test_a_loss_of_zero_has_an_absolute_difference():
    zero = Epoch(0.0, 0.0, {})
    assert distance(zero, Epoch(0.5, 0.0, {})) == Distance(0.5, 0, False)


def test_epochs_that_both_have():
    assert len(distances([LOGGED] * 3, [LOGGED] * 2)) == 2


@pytest.mark.parametrize(("loss", "score", "within"), [(0.1, 0.2, True), (0.09, 0.2, False), (0.1, 0.19, False)])
def test_a_band_has_two_sides(loss, score, within):
    assert Distance(0.1, 0.2, False).within(loss, score) is within
