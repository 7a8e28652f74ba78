import dataclasses

import pytest

from benchmark.problem import load_problem
from tests.benchmark.making import *  # noqa: F403


@pytest.fixture
def tiny():
    """The small problem, with few samples."""
    return dataclasses.replace(load_problem("cosmoflow-mini"), train_samples=2, validation_samples=1)
