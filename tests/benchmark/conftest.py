"""A problem small enough to make in milliseconds."""

import dataclasses
import signal
from pathlib import Path

import pytest

from benchmark.generate import generate
from benchmark.launch import ENDING, WARNING
from benchmark.problem import load_problem
from benchmark.scaffold.problem import Intensity, Problem


@pytest.fixture(scope="session")
def tiny() -> Problem:
    """Six 16^3 volumes of two fractals, of two categories; two cells and two bricks a side."""
    sizes = {"scale": 4, "brick": 8, "cell": 8, "voxels_per_point": 2, "size": (192, 256)}
    content = {"categories": 2, "instances": 6, "fractals": 2, "intensity": Intensity(7, (100, 200))}
    split = {"train_samples": 4, "validation_samples": 2, "data_seed": 20261121}
    return dataclasses.replace(load_problem("smoke"), name="tiny", **sizes, **content, **split)


@pytest.fixture(scope="session")
def made(tiny, tmp_path_factory) -> Path:
    """Its dataset, to be copied by tests that change it."""
    root = tmp_path_factory.mktemp("made")
    generate(root, tiny)
    return root


@pytest.fixture
def handlers():
    """The handlers of signals, which a program takes for itself, are put back."""
    before = [(number, signal.getsignal(number)) for number in (*ENDING, *WARNING)]
    yield
    for number, handler in before:
        signal.signal(number, handler)
