"""DeepCAM's problems."""

import dataclasses

import pytest

from benchmark.problem import load_problem


def test_full_size_problem_is_the_published_one():
    problem = load_problem("deepcam")
    assert (problem.shape, problem.train_samples, problem.validation_samples) == ((1, 768, 1152), 121266, 15158)
    assert (problem.target, problem.divisor, problem.middle, problem.twin) == (0.82, 1, 16, None)
    assert problem.most_boxes == (1, 1, 1)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("height", 100, "height: found 100, wanted a multiple of 16"),
        ("divisor", 3, "divisor: found 3, wanted 1, 2, 4 or 8"),
        ("middle", 0, "middle: found 0, wanted at least 1"),
    ],
)
def test_impossible_problems_are_refused(tiny, field, value, said):
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(tiny, **{field: value})
