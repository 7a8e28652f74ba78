"""The settings and problems with which the reference is measured."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmark.config import load_settings, read_bytes
from benchmark.problem import load_problem
from benchmark.scaffold.problem import Problem
from implementations.pytorch.config import config_path
from implementations.pytorch.task import config_class


def reference_settings(problem: str, assignments: Sequence[str] = (), file: Path | None = None) -> Any:
    """The Config of a problem's workload: the problem's settings, or those of a file, with `field=value` assignments on
    top. Raises ValueError for settings that are not allowed."""
    path = file or config_path(problem)
    return load_settings(config_class(load_problem(problem).workload), path, read_bytes(path), assignments)


def published_at(scale: int) -> Problem:
    """ScaFFold's published problem of a scale."""
    return load_problem("smoke" if scale == 5 else f"scale{scale}")


def problem_at(scale: int) -> Problem:
    """ScaFFold's problem scale6, with the same network (64 channels, 3 levels), at another scale of 4 or more.
    In bfloat16, oneDNN's gradients of a convolution's weight are wrong at 2^3 voxels: scale 4 is for float32."""
    cell = 1 << (scale - 1)
    few = {"scale": scale, "bottleneck": scale - 3, "cell": cell, "brick": min(16, cell)}
    few["voxels_per_point"] = min(32, cell**3 >> 5)  # a fractal has 32 points or more
    return replace(load_problem("scale6"), **few)
