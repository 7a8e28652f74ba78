"""The page of tensors: names and shapes of the reference's networks."""

import re

import pytest

from benchmark.problem import load_problem
from perf.pages.tensors import NORM, parts, shapes, sum_of, tensors
from rules.edition import load

PROBLEMS = load("v1.0").problems


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_file_has_as_many_numbers_as_the_rules_say(problem):
    assert sum_of(problem) == PROBLEMS[problem].parameter_count + PROBLEMS[problem].buffer_count


def block(prefix, into, out):
    """The tensors of a block, as the page has them."""
    sides = (3, 3, 3)
    norms = {f"{prefix}.{norm}.{name}": (out,) for norm in (1, 3) for name in ("weight", "bias")}
    return {f"{prefix}.0.weight": (out, into, *sides), f"{prefix}.2.weight": (out, out, *sides), **norms}


@pytest.mark.parametrize(("name", "channels"), [("smoke", 1), ("scale8", 1), ("published7", 3)])
def test_scaffolds_shapes_are_those_of_the_page(name, channels):
    problem = load_problem(name)
    width, deepest = [problem.width << level for level in range(problem.levels + 1)], problem.levels - 1
    wanted = block("bottom", width[deepest], width[-1]) | {"head.weight": (6, width[0], 1, 1, 1), "head.bias": (6,)}
    for level in range(problem.levels):
        out, up = width[level], deepest - level
        wanted |= block(f"down.{level}", width[level - 1] if level else channels, out) | block(f"up.{up}", 2 * out, out)
        wanted |= {f"rise.{up}.weight": (2 * out, out, 2, 2, 2), f"rise.{up}.bias": (out,)}
    assert tensors(name) == wanted
    order = list(dict.fromkeys(tensor.partition(".")[0] for tensor in tensors(name)))
    assert order == ["down", "bottom", "rise", "up", "head"]


def test_a_row_of_a_norm_stands_for_its_four_tensors():
    wanted, shown = shapes("deepcam"), {}
    for name, shape in re.findall(r"^\| `([\w.*]+)` \| ([\dx ]+) \|$", parts()["DeepCAM"], re.M):
        shown |= {name.replace("*", part): shape for part in (NORM if name.endswith("*") else [""])}
    assert shown == wanted and list(shown) == list(wanted)


def test_the_mini_has_an_eighth_of_all_inner_channels():
    whole = tensors("deepcam")
    for name, shape in tensors("deepcam-mini").items():
        assert shape == tuple(side if side in (1, 3, 16) else side // 8 for side in whole[name]), name
    assert shapes("deepcam").keys() == shapes("deepcam-mini").keys()
