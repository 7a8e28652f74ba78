"""The settings in a file, as a run loads them."""

from pathlib import Path
from typing import TypeVar

from benchmark.config import Settings, load_settings, read_bytes

T = TypeVar("T", bound=Settings)


def load_config(cls: type[T], path: Path, *assignments: str) -> T:
    """The settings of a class in a file, with `field=value` assignments on top."""
    return load_settings(cls, path, read_bytes(path), assignments)
