"""Files that are whole or not there: written under a temporary name, synced, then renamed."""

import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The temporary file to write, in the folder of `path`, which is made; it becomes `path` unless the body raises."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    try:
        yield temporary
        sync(temporary)
        os.replace(temporary, path)
        sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sweep(root: Path, paths: Iterable[Path]) -> None:
    """Remove what killed writers left behind of these files below `root`, which must be nobody else's."""
    mine = {(path.parent.name, path.name) for path in paths}
    for left in Path(root).glob("*/.*.partial"):
        if (left.parent.name, left.name[1:].rsplit(".", 2)[0]) in mine:
            left.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Force a file, or a folder's entries, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
