"""Where the runs of a test may write."""

from pathlib import Path

import pytest


@pytest.fixture
def log(tmp_path) -> Path:
    return tmp_path / "result_0.txt"


@pytest.fixture
def folder(tmp_path) -> Path:
    """Of checkpoints, or of a node's own disk; it is not there."""
    return tmp_path / "folder"
