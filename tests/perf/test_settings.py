"""Problems that are measured."""

import pytest

from benchmark.problem import load_problem
from perf.settings import problem_at, published_at


@pytest.mark.parametrize("scale", [4, 5, 6, 7])
def test_the_network_is_the_same_at_every_scale_and_two_ranks_can_share_a_volume(scale):
    problem, six = problem_at(scale), load_problem("scale6")
    assert problem.scale == scale and problem.points >= 32 and problem.most_boxes >= (2, 2, 2)
    assert (problem.width, problem.scale - problem.bottleneck) == (six.width, six.scale - six.bottleneck)
    assert problem_at(6) == six


def test_smoke_is_the_published_problem_of_scale_5():
    assert published_at(5).name == "smoke" and published_at(5).scale == 5
    assert published_at(7) == load_problem("scale7")
    with pytest.raises(ValueError, match="no problem 'scale4'"):
        published_at(4)
