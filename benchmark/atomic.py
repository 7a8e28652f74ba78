"""Write files so that they are either complete or absent: under a temporary name, synced, then renamed.

A writer holds a lock on its temporary file. So others can tell that file from one that a killed writer left behind,
unless the file system has no locks.
"""

import fcntl
import os
import re
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LEFTOVER = re.compile(r"\..+\.partial")  # the name of what is being written, or was when its writer was killed


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file to write. It becomes `path` at the end, unless the body raises.

    The file lies in the folder of `path`, which is made if it is absent.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary, handle = _claimed(path)
    try:
        with naming(path):
            yield temporary
            sync(temporary)
            os.replace(temporary, path)
            sync(path.parent)
    finally:
        os.close(handle)
        temporary.unlink(missing_ok=True)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in an OSError of the body that names none, such as "No space left on device"."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def _claimed(path: Path) -> tuple[Path, int]:
    """Return an empty temporary file for `path`, and the handle that holds its lock."""
    while True:
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        if temporary.exists():  # else somebody swept it before it was locked
            return temporary, handle
        os.close(handle)


def sweep(paths: Iterable[Path]) -> None:
    """Remove the temporary files that killed writers left behind for these paths, but none that is being written."""
    names: dict[Path, set[str]] = {}
    for path in paths:
        names.setdefault(path.parent, set()).add(path.name)
    for folder, mine in names.items():
        _remove(left for left in folder.glob(".*.partial") if left.name[1:].rsplit(".", 2)[0] in mine)


def sweep_folder(folder: Path) -> None:
    """Remove the temporary files that killed writers left behind in a folder, but none that is being written."""
    _remove(folder.glob(".*.partial"))


def _remove(leftovers: Iterable[Path]) -> None:
    """Remove temporary files, but none that is being written."""
    for left in leftovers:
        try:
            handle = os.open(left, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            left.unlink(missing_ok=True)
            continue
        try:
            if lock(handle):
                left.unlink(missing_ok=True)  # before a writer who waits for the lock looks whether it is still there
        finally:
            os.close(handle)


def lock(handle: int) -> bool:
    """Lock a file or a folder, until its handle is closed. Return False if another process holds its lock. A file
    system without locks has none to hold."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def sync(path: Path) -> None:
    """Force a file, or a folder's entries, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
