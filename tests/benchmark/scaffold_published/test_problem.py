"""Definitions of problems as published."""

import dataclasses

import pytest

from benchmark.problem import load_problem


@pytest.mark.parametrize(("scale", "bottleneck"), [(7, 3), (8, 3), (9, 4), (10, 5), (11, 6)])
def test_the_published_sizes(scale, bottleneck):
    found = load_problem(f"published{scale}")
    assert (found.scale, found.bottleneck, found.side) == (scale, bottleneck, 2**scale)
    assert (found.samples, found.train_samples, found.validation_samples, found.classes) == (240, 168, 72, 6)
    assert (found.target, found.width, found.brick, found.most_boxes[0]) == (
        0.95,
        64,
        2 ** (scale - bottleneck),
        2**bottleneck,
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"instances": 145}, "instances: found 145, wanted a multiple of 3"),
        ({"train_samples": 55}, "found 55 and 24, wanted 56 and 24, as there are 80 volumes"),
        ({"bottleneck": 4}, "bottleneck: found 4, wanted 0 to 3"),
    ],
)
def test_a_wrong_definition_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(load_problem("published4"), **change)
