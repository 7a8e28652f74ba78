"""HDF5 files opened for reading, with every fault naming the file, and written so that a full disk is an error."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from benchmark.log import open_regular
from benchmark.printable import printable

MOST_IN_MEMORY = 64 << 20  # bytes of a file: every sample of CosmoFlow and DeepCAM, ScaFFold's up to scale 8


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """The file, open for reading."""
    with named(path):
        open_regular(path).close()  # a pipe would be waited for
        with h5py.File(path, "r", locking=False) as file:
            yield file


@contextmanager
def writing(path: Path, size: int, libver: str | None = None) -> Iterator[h5py.File]:
    """A new file to fill with about `size` bytes. Raises OSError when it can't be written.

    Where HDF5 itself can't write at the end of a file, the process ends by a signal. So what fits in memory is made
    there, and written as a whole.
    """
    if size > MOST_IN_MEMORY:
        with h5py.File(path, "w", libver=libver, locking=False) as file:
            yield file
        return
    with h5py.File(path, "w", libver=libver, driver="core", backing_store=False) as file:
        yield file
        file.flush()
        image = file.id.get_file_image()
    path.write_bytes(image)


def dataset(file: h5py.File, name: str) -> h5py.Dataset:
    """A dataset whose bytes are in the file itself.

    Raises ValueError for another one, before anything of it is read: links, external files and virtual datasets lead to
    files that nobody asked for, a pipe among them.
    """
    at: h5py.Group = file
    for part in name.split("/"):
        link = at.get(part, getlink=True) if isinstance(at, h5py.Group) else None
        if not isinstance(link, h5py.HardLink):
            raise ValueError(f"found no dataset /{name} in the file itself")
        at = at[part]
    if not isinstance(at, h5py.Dataset):
        raise ValueError(f"found no dataset /{name}")
    if at.is_virtual or at.external:
        raise ValueError(f"/{name}: found its bytes in other files, wanted them in this one")
    return at


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Whatever is raised on the file's account becomes a ValueError that names it."""
    try:
        yield
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, LookupError, RuntimeError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if str(path) in str(error):  # ours
            raise ValueError(printable(str(error))) from None
        raise ValueError(printable(f"{path}: truncated, corrupt or no sample of ours: {str(error)[:200]}")) from None
