"""Files that are whole or not there: written under a temporary name, synced, then renamed.

Who writes holds a lock on its temporary file, so that others can tell it from one that a killed writer left. Where a
file system has no locks, nobody can.
"""

import fcntl
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The temporary file to write, in the folder of `path`, which is made; it becomes `path` unless the body raises."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary, handle = _claimed(path)
    try:
        yield temporary
        sync(temporary)
        os.replace(temporary, path)
        sync(path.parent)
    finally:
        os.close(handle)
        temporary.unlink(missing_ok=True)


def _claimed(path: Path) -> tuple[Path, int]:
    """An empty temporary file for `path`, and the handle that holds its lock."""
    while True:
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        if temporary.exists():  # else somebody swept it before it was locked
            return temporary, handle
        os.close(handle)


def sweep(paths: Iterable[Path]) -> None:
    """Remove what killed writers left behind of these files, and nothing that somebody is writing."""
    names: dict[Path, set[str]] = {}
    for path in paths:
        names.setdefault(path.parent, set()).add(path.name)
    for folder, mine in names.items():
        for left in folder.glob(".*.partial"):
            if left.name[1:].rsplit(".", 2)[0] in mine and not _is_written(left):
                left.unlink(missing_ok=True)


def _is_written(temporary: Path) -> bool:
    """Whether a process holds the lock of a temporary file."""
    try:
        handle = os.open(temporary, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no locks here
        return False
    finally:
        os.close(handle)
    return False


def sync(path: Path) -> None:
    """Force a file, or a folder's entries, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
