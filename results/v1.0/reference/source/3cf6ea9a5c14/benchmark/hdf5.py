"""HDF5 files opened for reading, with every fault naming the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """The file, open for reading."""
    with named(path), h5py.File(path, "r", locking=False) as file:
        yield file


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Whatever is raised on the file's account becomes a ValueError that names it."""
    try:
        yield
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, LookupError, RuntimeError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if str(path) in str(error):  # ours
            raise
        raise ValueError(f"{path}: truncated, corrupt or no sample of ours: {str(error)[:200]}") from None
