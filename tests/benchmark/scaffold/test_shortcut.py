"""The shortcuts as one command prints them: which there are, and that they stay what they are."""

import dataclasses

import pytest

from benchmark.scaffold import shortcut, shortcut_box
from benchmark.scaffold.problem import Intensity
from benchmark.scaffold.shortcut import shortcuts

INTENSITIES = ["voxel", "neighbours", "bayes3", "bayes5", "bayes7", "votes"]
BOXES = ["box3", "box5", "box7", "box9", "votes9"]
NAMES = [*INTENSITIES, *BOXES, "moments", "nearest"]


@pytest.fixture(autouse=True)
def few_features(monkeypatch):
    monkeypatch.setattr(shortcut_box, "FEATURES", 100)


@pytest.mark.slow
def test_each_says_what_it_sees(tiny):
    found = list(shortcuts(tiny))
    assert [score.name for score in found] == NAMES
    assert [score.local for score in found] == [True] * 11 + [False] * 2
    assert all(0 <= score.value <= 1 and score.seconds >= 0 for score in found)
    told = {score.name for score in found if "told which are occupied" in score.sees}
    assert told == {"neighbours", "bayes3", "bayes5", "bayes7"}
    assert "5^3" in found[7].sees and "occupancy" in found[7].sees and "the volume" in found[-1].sees
    assert "15^3" in found[10].sees and "second moments" in found[11].sees


@pytest.mark.slow
def test_votes_of_boxes_know_more_than_boxes(tiny):
    found = {score.name: score.value for score in shortcuts(tiny)}
    assert found["votes9"] > found["box9"]


@pytest.mark.slow
def test_workers_change_nothing(tiny):
    one, two = ([score.value for score in shortcuts(tiny, workers)] for workers in (1, 2))
    assert one == two


@pytest.mark.slow
def test_samples_limit_both_splits(tiny):
    assert shortcut.scope(tiny, 1) == "1 training and 1 validation samples, of 4 and 2"
    sees = {score.name: score.sees for score in shortcuts(tiny, samples=1)}
    assert sees["box3"] != {score.name: score.sees for score in shortcuts(tiny)}["box3"]


@pytest.mark.slow
def test_large_samples_are_seen_by_their_cells(tiny, monkeypatch):
    monkeypatch.setattr("benchmark.scaffold.shortcut_parts.WHOLE", 8)
    found = {score.name: score.value for score in shortcuts(tiny)}
    assert set(found) == set(NAMES)


@pytest.mark.slow
def test_intensities_say_nothing_where_categories_share_them(tiny):
    found = {score.name: score.value for score in shortcuts(tiny)}
    assert max(found[name] for name in INTENSITIES) < 0.8  # 2/3 is what calling all of it one category of two can have


@pytest.mark.slow
def test_votes_lose_nothing_but_the_category_to_a_threshold(tiny):
    """With a single category, whoever finds the occupied voxels has them all."""
    single = dataclasses.replace(tiny, categories=1, instances=12, intensity=Intensity(7, (100, 200)))
    found = {score.name: score.value for score in shortcuts(single)}
    assert min(found.values()) > 0.97  # some intensities occur in the validation split alone
    assert found["bayes3"] == found["box3"] == 1.0


@pytest.mark.slow
def test_noise_that_hides_voxels_costs_those_that_must_find_them(tiny):
    dim = dataclasses.replace(tiny, intensity=Intensity(15, (4, 60)))
    found = {score.name: score.value for score in shortcuts(dim)}
    assert found["voxel"] < 0.9 and found["votes"] < 0.9 and found["nearest"] < 1
