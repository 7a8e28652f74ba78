"""Lock a folder against a second command of the harness."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from benchmark.atomic import lock


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder, which is there, within this context. Raises ValueError if another command holds the lock."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not lock(handle):
            raise ValueError(f"{folder}: found another command at work on it, wanted one at a time")
        yield
    finally:
        os.close(handle)
