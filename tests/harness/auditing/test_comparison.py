"""How far a replay is from its run."""

from dataclasses import replace

import pytest

from harness.auditing.comparison import Distance, distance, distances
from harness.auditing.logged import Epoch

LOGGED = Epoch(1, 2.0, 0.25, {"true": (10, 20)}, state="a")


@pytest.mark.parametrize(
    ("logged", "again", "wanted"),
    [
        ({}, {}, Distance(0, 0, True)),
        ({}, {"loss": 2.5}, Distance(0.25, 0, False)),
        ({}, {"loss": 1.5}, Distance(0.25, 0, False)),
        ({"loss": 0.0}, {"loss": 0.5}, Distance(0.5, 0, False)),  # absolute
        ({}, {"score": 0.5}, Distance(0, 0.25, False)),
        ({}, {"facts": {"true": (10, 21)}}, Distance(0, 0, False)),  # one count, and the score rounds to the same
        ({}, {"facts": {"hits": (1, 2)}}, Distance(0, 0, True)),  # lists that only one of them has
        ({}, {"state": "b"}, Distance(0, 0, False)),
        ({}, {"state": None}, Distance(0, 0, True)),
        ({"early": 2.0}, {"early": 2.5}, Distance(0, 0, True, 0.25)),
        ({"early": 2.0}, {}, Distance(0, 0, True)),
        ({}, {"early": 2.5}, Distance(0, 0, True)),
    ],
)
def test_each_difference_is_seen(logged, again, wanted):
    assert distance(replace(LOGGED, **logged), replace(LOGGED, **again)) == wanted


def test_epochs_that_both_have():
    logged = [replace(LOGGED, number=n, loss=n) for n in (0.5, 1, 1.5, 2)]
    again = [replace(LOGGED, number=n, loss=2 * n) for n in (1, 2, 3)]
    assert {number: found.loss for number, found in distances(logged, again).items()} == {1: 1.0, 2: 1.0}


@pytest.mark.parametrize(("loss", "score", "within"), [(0.1, 0.2, True), (0.09, 0.2, False), (0.1, 0.19, False)])
def test_a_band_has_two_sides(loss, score, within):
    assert Distance(0.1, 0.2, False).within(loss, score) is within
