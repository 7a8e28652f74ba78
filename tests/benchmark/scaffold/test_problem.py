"""ScaFFold's problems: the published ones, and what makes one impossible."""

import dataclasses

import pytest

from benchmark.problem import load_problem

NAMES = ("smoke", "scale6", "scale7", "scale8", "scale9", "scale10", "scale11")


@pytest.mark.parametrize("name", NAMES)
def test_published_problems(name):
    problem = load_problem(name)
    assert problem.side % (4 * problem.brick) == 0  # a 4-way split of every axis
    assert problem.levels >= 2
    assert (problem.train_samples, problem.validation_samples) == (168, 72)
    assert list(problem.split_samples("validation")) == list(range(168, 240))


def test_bottlenecks():
    wanted = {"scale7": 3, "scale8": 3, "scale9": 4, "scale10": 5, "scale11": 6}
    assert {name: load_problem(name).bottleneck for name in wanted} == wanted


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("brick", 12, "power of two"),
        ("brick", 32, "power of two up to 16"),
        ("voxels_per_point", 1024, "leaves 4 points"),
        ("size", (0, 10), "least <= most"),
        ("size", (10, 300), "least <= most"),
        ("instances", 7, "each is used exactly once"),
        ("categories", 3, r"intensity\.levels: found 2, wanted 3"),
    ],
)
def test_impossible_problems(tiny, field, value, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(tiny, **{field: value})


def test_what_follows_from_the_numbers(tiny):
    assert (tiny.side, tiny.shape, tiny.voxels, tiny.points) == (16, (16, 16, 16), 4096, 256)
    assert (tiny.levels, tiny.classes, tiny.samples) == (tiny.scale - tiny.bottleneck, 3, 6)


@pytest.mark.parametrize(("bottleneck", "brick", "most"), [(0, 4, 1), (1, 8, 2), (3, 8, 2), (2, 2, 4)])
def test_boxes_are_whole_bricks_and_no_smaller_than_a_voxel_of_the_coarsest_level(tiny, bottleneck, brick, most):
    assert dataclasses.replace(tiny, bottleneck=bottleneck, brick=brick).most_boxes == (most, most, most)
