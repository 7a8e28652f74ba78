"""The settings with which the reference is measured."""

from collections.abc import Sequence
from typing import Any

from benchmark.config import load_settings, read_bytes
from benchmark.problem import load_problem
from implementations.pytorch.config import config_path
from implementations.pytorch.task import config_class


def reference_settings(problem: str, assignments: Sequence[str] = ()) -> Any:
    """The Config of a problem's workload: the problem's settings, with `field=value` assignments on top. Raises
    ValueError for settings that are not allowed."""
    path = config_path(problem)
    return load_settings(config_class(load_problem(problem).workload), path, read_bytes(path), assignments)
