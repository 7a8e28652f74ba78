import dataclasses

import pytest

from benchmark.problem import load_problem
from benchmark.scaffold.held_out import held_out


def test_a_held_out_problem_is_another_one_even_with_the_same_seed():
    smoke = load_problem("smoke")
    fresh = held_out(smoke, smoke.data_seed)
    assert fresh.digest() != smoke.digest() and fresh.data_seed == smoke.data_seed
    assert dataclasses.replace(fresh, instances=144).classes == 6
    with pytest.raises(ValueError, match="instances: found 145, wanted at most 144"):
        dataclasses.replace(fresh, instances=145)
