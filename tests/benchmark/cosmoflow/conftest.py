"""The small problem, and one universe of it."""

import dataclasses

import pytest

from benchmark.cosmoflow import universe
from benchmark.problem import load_problem


@pytest.fixture(scope="module")
def mini():
    return load_problem("cosmoflow-mini")


@pytest.fixture(scope="module")
def tiny(mini):
    """The small problem, with few samples."""
    return dataclasses.replace(mini, train_samples=2, validation_samples=1)


@pytest.fixture(scope="module")
def sample(mini):
    return universe.make_universe(mini, 7)


@pytest.fixture(params=["tfrecord", "hdf5"])
def form(request, mini):
    """The problem with that format of files."""
    return dataclasses.replace(mini, format=request.param)
