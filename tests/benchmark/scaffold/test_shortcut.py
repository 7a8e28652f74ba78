"""The shortcuts as one command prints them: which there are, and that they stay what they are."""

import dataclasses

import pytest

from benchmark.scaffold import shortcut_box
from benchmark.scaffold.problem import Intensity
from benchmark.scaffold.shortcut import shortcuts

pytestmark = pytest.mark.slow
INTENSITIES = ["voxel", "neighbours", "bayes3", "bayes5", "bayes7", "votes"]
BOXES = ["box3", "box5", "box7", "box9", "votes9", "wide"]


@pytest.fixture(autouse=True)
def few_features(monkeypatch):
    monkeypatch.setattr(shortcut_box, "FEATURES", 100)


def values(problem):
    return {score.name: score.value for score in shortcuts(problem)}


def test_each_says_what_it_sees(tiny):
    found = {score.name: score for score in shortcuts(tiny)}
    assert list(found) == [*INTENSITIES, *BOXES, "moments", "nearest"]
    assert [score.local for score in found.values()] == [True] * 11 + [False] * 3
    assert all(0 <= score.value <= 1 and score.seconds >= 0 for score in found.values())
    assert "a box of 5^3 voxels" in found["box5"].sees and "a box of 15^3 voxels" in found["votes9"].sees
    assert found["votes9"].value > found["box9"].value
    assert max(found[name].value for name in INTENSITIES) < 0.8  # one category of two for all of it has 2/3


def test_votes_lose_the_category_to_a_threshold_and_voxels_to_noise(tiny):
    """With a single category, whoever finds the occupied voxels has them all."""
    single = values(dataclasses.replace(tiny, categories=1, instances=12, intensity=Intensity(7, (100, 200))))
    assert min(single.values()) > 0.97  # some intensities occur in the validation split alone
    assert single["bayes3"] == single["box3"] == 1.0
    dim = values(dataclasses.replace(tiny, intensity=Intensity(15, (4, 60))))
    assert dim["voxel"] < 0.9 and dim["votes"] < 0.9 and dim["nearest"] < 1
