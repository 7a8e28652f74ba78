import dataclasses
import re

import pytest

from benchmark.config import build
from benchmark.problem import load_problem
from benchmark.scaffold.problem import Problem

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


def test_unknown_problem():
    with pytest.raises(ValueError, match=re.escape("no problem 'smok'; did you mean 'smoke'?")):
        load_problem("smok")


def test_digest_covers_every_field(tiny):
    assert tiny.digest() == dataclasses.replace(tiny).digest()
    assert tiny.digest() != dataclasses.replace(tiny, data_seed=1).digest()
    brighter = dataclasses.replace(tiny.intensity, noise=31)
    assert tiny.digest() != dataclasses.replace(tiny, intensity=brighter).digest()


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


def test_unknown_field_is_named():
    with pytest.raises(ValueError, match="did you mean 'scale'"):
        build(Problem, {"scal": 5}, "problems.yaml: x")


def test_unknown_split(tiny):
    with pytest.raises(ValueError, match="found split 'test'"):
        tiny.split_samples("test")
