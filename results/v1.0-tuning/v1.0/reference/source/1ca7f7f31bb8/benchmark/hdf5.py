"""HDF5 files opened for reading, with every fault naming the file, and written so that a full disk is an error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from benchmark.log import open_regular
from benchmark.printable import printable


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """The file, open for reading."""
    with named(path):
        open_regular(path).close()  # a pipe would be waited for
        with h5py.File(path, "r", locking=False) as file:
            yield file


@contextmanager
def writing(path: Path, libver: str | None = None) -> Iterator[h5py.File]:
    """A new file to fill. Raises OSError when it can't be written."""
    with Output(path) as output, h5py.File(output, "w", libver=libver) as file:
        yield file


class Output:
    """A file that HDF5 writes to, and that is never full. The first error is kept, and raised in place of any other
    when the file is closed: where HDF5 can't write what it has yet to write, it ends the process by a signal."""

    def __init__(self, path: Path):
        self.file = path.open("w+b", buffering=0)
        self.error: OSError | None = None
        self.seek, self.tell, self.readinto = self.file.seek, self.file.tell, self.file.readinto
        self.read = self.file.read  # by which h5py knows a file

    def write(self, data: memoryview) -> int:
        """All bytes of `data`, unless something failed before."""
        left = memoryview(data)
        while left and not self.error:
            left = left[self._tried(lambda left=left: self.file.write(left)) :]
        return len(data)

    def truncate(self, size: int) -> int:
        """Cut off or fill up."""
        self._tried(lambda: self.file.truncate(size))
        return size

    def flush(self) -> None:
        """Nothing: no byte waits here."""

    def _tried(self, act: Callable[[], int]) -> int:
        try:
            return act()
        except OSError as error:
            self.error = self.error or error
            return 0

    def __enter__(self) -> "Output":
        return self

    def __exit__(self, *raised: object) -> None:
        self._tried(lambda: self.file.close() or 0)
        if self.error:
            raise self.error from None


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
