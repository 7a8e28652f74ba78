import dataclasses

import pytest

from benchmark.problem import load_problem
from tests.benchmark.making import (  # noqa: F401
    making,
    test_a_file_that_is_not_there_is_named,
    test_a_sample_is_the_same_stored_or_not,
    test_held_out_data_share_no_sample,
    test_samples_differ_and_are_made_again_alike,
)


@pytest.fixture
def tiny():
    """The small problem, with few samples."""
    return dataclasses.replace(load_problem("cosmoflow-mini"), train_samples=2, validation_samples=1)
