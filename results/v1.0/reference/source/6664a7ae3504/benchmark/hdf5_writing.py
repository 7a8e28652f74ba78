"""Write HDF5 files so that a full disk is an error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import h5py


@contextmanager
def writing(path: Path, libver: str | None = None) -> Iterator[h5py.File]:
    """Yield a new file to fill. Raises OSError when it cannot be written."""
    with Output(path) as output, h5py.File(output, "w", libver=libver) as file:
        yield file


class Output:
    """A file for HDF5 to write, which never reports an error while it is open. The first error is raised when the file
    is closed: HDF5 itself would end the process by a signal where it cannot flush its buffers."""

    def __init__(self, path: Path):
        self.file = path.open("w+b", buffering=0)
        self.error: OSError | None = None
        self.seek, self.tell, self.readinto = self.file.seek, self.file.tell, self.file.readinto
        self.read = self.file.read  # by which h5py knows a file

    def write(self, data: memoryview) -> int:
        """Write all bytes of `data`, unless something failed before. Return their number."""
        left = memoryview(data)
        while left and not self.error:
            left = left[self._tried(partial(self.file.write, left)) :]
        return len(data)

    def truncate(self, size: int) -> int:
        """Cut the file off, or fill it up with zeros, to `size` bytes."""
        self._tried(partial(self.file.truncate, size))
        return size

    def flush(self) -> None:
        """Do nothing: the file has no buffer."""

    def _tried(self, act: Callable[[], int | None]) -> int:
        try:
            return act() or 0
        except OSError as error:
            self.error = self.error or error
            return 0

    def __enter__(self) -> "Output":
        return self

    def __exit__(self, *raised: object) -> None:
        self._tried(self.file.close)
        if self.error:
            raise self.error from None
