"""A problem of five small samples, the same without a generator, and its data."""

import dataclasses
import shutil

import pytest

from benchmark.generate import generate
from benchmark.problem import load_problem


@pytest.fixture(scope="module")
def tiny():
    """Three samples to train on and two to validate, 32 x 48 pixels."""
    mini = load_problem("deepcam-mini")
    small = dataclasses.replace(mini.twin, radius=(4.0, 6.0), half_width=(2.0, 3.0))
    sizes = {"height": 32, "width": 48, "train_samples": 3, "validation_samples": 2}
    return dataclasses.replace(mini, name="tiny", twin=small, **sizes)


@pytest.fixture(scope="module")
def real(tiny):
    """The same sizes without a generator."""
    return dataclasses.replace(tiny, name="real", twin=None)


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """Its data, to be copied by tests that change them."""
    root = tmp_path_factory.mktemp("made")
    generate(root, tiny)
    return root


@pytest.fixture
def data(made, tmp_path):
    return shutil.copytree(made, tmp_path, dirs_exist_ok=True)
