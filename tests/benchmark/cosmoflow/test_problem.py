"""CosmoFlow's problems."""

import dataclasses

import pytest

from benchmark import cosmoflow
from benchmark.problem import load_problem
from benchmark.workload import module_of


def test_problems_are_the_published_ones():
    full, old, mini = (load_problem(f"cosmoflow{end}") for end in ("", "-v0.7", "-mini"))
    assert (full.train_samples, full.validation_samples, full.kernel, full.target) == (524288, 65536, 3, 0.124)
    assert (old.train_samples, old.validation_samples, old.kernel, old.target) == (262144, 65536, 2, 0.124)
    assert full.most_boxes == (4, 4, 4) and mini.most_boxes == (2, 2, 2)
    assert module_of(full) is cosmoflow
    assert len({full.digest(), old.digest(), mini.digest()}) == 3


@pytest.mark.parametrize(("field", "value"), [("kernel", 4), ("side", 20), ("format", "hdf"), ("blocks", 0)])
def test_a_problem_that_cannot_be_is_refused(mini, field, value):
    with pytest.raises(ValueError, match=f"{field if field != 'blocks' else 'side'}: found"):
        dataclasses.replace(mini, **{field: value})
