"""A tiny problem, and a dataset of it in the format of ScaFFold's authors."""

import dataclasses

import pytest

from benchmark.problem import load_problem
from benchmark.scaffold_published.problem import Problem
from tests.support.published import write_dataset


@pytest.fixture(scope="session")
def problem() -> Problem:
    """10 volumes of 8^3 voxels, of which 3 validate."""
    sizes = {"scale": 3, "bottleneck": 2, "instances": 6, "train_samples": 7, "validation_samples": 3}
    return dataclasses.replace(load_problem("published4"), name="tiny", **sizes)


@pytest.fixture
def data(problem, tmp_path):
    return write_dataset(tmp_path / "data", problem)
