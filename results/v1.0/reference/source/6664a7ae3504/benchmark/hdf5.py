"""Open HDF5 files so that every fault names the file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import h5py
from h5py import h5f, h5p

from benchmark.log import open_regular
from benchmark.printable import printable


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """Yield the file, open for reading. Raises ValueError, naming the file, for whatever is wrong with it."""
    with named(path):
        open_regular(path).close()  # a pipe would be waited for
        with h5py.File(h5f.open(os.fsencode(path), h5f.ACC_RDONLY, access())) as file:
            yield file


@cache
def access() -> h5p.PropFAID:
    """Return HDF5's properties for opening files: without locks, which parallel file systems may lack. They are made
    once; h5py would make them for every file."""
    found = h5p.create(h5p.FILE_ACCESS)
    found.set_file_locking(False, True)
    found.set_fclose_degree(h5f.CLOSE_STRONG)
    return found


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Turn every error that HDF5 raises about the file into a ValueError that names it."""
    try:
        yield
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, LookupError, RuntimeError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if str(path) in str(error):  # ours
            raise ValueError(printable(str(error))) from None
        raise ValueError(printable(f"{path}: truncated, corrupt or no sample of ours: {str(error)[:200]}")) from None
