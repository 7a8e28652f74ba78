"""A problem small enough to make in milliseconds."""

import dataclasses
from pathlib import Path

import pytest

from benchmark.generate import generate
from benchmark.problem import load_problem
from benchmark.scaffold.problem import Intensity, Problem


@pytest.fixture(scope="session")
def tiny() -> Problem:
    """Six 16^3 volumes of two fractals, of two categories; two cells and two bricks a side."""
    return dataclasses.replace(
        load_problem("smoke"),
        name="tiny",
        scale=4,
        categories=2,
        instances=6,
        fractals=2,
        train_samples=4,
        validation_samples=2,
        data_seed=20261121,
        brick=8,
        cell=8,
        voxels_per_point=2,
        size=(192, 256),
        intensity=Intensity(background=7, foreground=(100, 200)),
    )


@pytest.fixture(scope="session")
def made(tiny, tmp_path_factory) -> Path:
    """Its dataset, to be copied by tests that change it."""
    root = tmp_path_factory.mktemp("made")
    generate(root, tiny)
    return root
