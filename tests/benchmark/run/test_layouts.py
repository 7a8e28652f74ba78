import math

import pytest

from benchmark.problem import load_problem
from benchmark.run.layouts import idle_replicas, propose, validate_layout

SCALE7 = load_problem("scale7")


@pytest.mark.parametrize("extents", [(1, 1, 1, 1), (8, 1, 1, 1), (2, 4, 1, 1), (1, 2, 2, 2), (3, 4, 4, 4)])
def test_layouts_that_fit(extents):
    validate_layout(extents, (1, 1, 1, 1), SCALE7, math.prod(extents))


@pytest.mark.parametrize(
    ("extents", "tile", "ranks", "message"),
    [
        ((2, 2, 1, 1), (1, 1, 1, 1), 8, "found 8 ranks, wanted 4; for 8 ranks these fit: 8,1,1,1  4,2,1,1"),
        ((1, 1, 3, 1), (1, 1, 1, 1), 3, "height: found 3, wanted a divisor of 4, the most boxes that scale7"),
        ((1, 8, 1, 1), (1, 1, 1, 1), 8, "depth: found 8, .* 8,1,1,1  4,2,1,1  2,2,2,1  1,2,2,2"),
        ((0, 1, 1, 1), (1, 1, 1, 1), 1, "found 1 ranks, wanted 0; for 1 ranks these fit: 1,1,1,1"),
        ((1, 0, 1, 1), (1, 1, 1, 1), 1, "depth: found 0, wanted a divisor of 4"),
        ((1, 1, 1, 1), (1, 1, 0, 1), 1, "tile 1,1,0,1: height: found 0, wanted a divisor of 1"),
        ((2, 2, 1, 1), (1, 1, 2, 1), 4, "tile 1,1,2,1: height: found 2, wanted a divisor of 1"),
    ],
)
def test_layouts_that_do_not_fit_are_told_what_would(extents, tile, ranks, message):
    with pytest.raises(ValueError, match=message):
        validate_layout(extents, tile, SCALE7, ranks)


def test_replicas_without_a_sample_are_not_proposed():
    smoke = load_problem("smoke")
    assert propose(smoke, 8) == ["8,1,1,1", "4,2,1,1", "2,2,2,1", "1,2,2,2"]
    assert propose(smoke, 8, 2) == ["2,2,2,1", "1,2,2,2"]
    assert propose(smoke, 3, 2) == ["3,1,1,1"]  # nothing better fits
    with pytest.raises(ValueError, match=r"for 8 ranks these fit: 2,2,2,1  1,2,2,2$"):
        validate_layout((2, 2, 1, 1), (1, 1, 1, 1), smoke, 8, 2)
    said = idle_replicas((8, 1, 1, 1), load_problem("smoke"), 2)
    assert said == "layout 8,1,1,1: 6 of 8 replicas have no part of a batch of 2; these fit: 2,2,2,1  1,2,2,2"
    assert idle_replicas((2, 2, 2, 1), load_problem("smoke"), 2) == ""
    assert idle_replicas((3, 1, 1, 1), load_problem("smoke"), 2).startswith("layout 3,1,1,1: 1 of 3 replicas have no ")
