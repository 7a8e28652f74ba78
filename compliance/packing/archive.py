"""Write and read a package: a gzipped tar that follows, apart from compression, from its manifest and the files' bytes.

The manifest comes first, the files follow in its order, and `header` makes the header of each from its name and size.
So a reader knows every byte except the contents in advance. A link, a device, an absolute path, a surplus file or any
other header differs from the expected bytes. Only the manifest is held in memory, no more is unpacked than the sizes in
it, and no extension of tar is interpreted.
"""

import gzip
import hashlib
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from benchmark.atomic import naming
from benchmark.log import open_regular
from compliance.packing.manifest import LARGEST, NAME, File, Manifest, Unsound, parse, want

BLOCK = 1 << 20  # bytes that are moved at a time
RECORD = tarfile.RECORDSIZE
LEVEL = 6  # of compression


def header(name: str, size: int) -> bytes:
    """Return the block of 512 bytes before a file. Raises ValueError for a name that does not fit into it."""
    info = tarfile.TarInfo(name)
    info.size = size
    try:
        return info.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict")
    except ValueError as error:
        raise ValueError(
            f"{name}: found a path that does not fit into a package ({error}), wanted a shorter one"
        ) from None


def members(manifest: Manifest) -> Iterator[tuple[File, bytes]]:
    """Yield the files with their headers."""
    for file in manifest.files:
        yield file, header(f"{manifest.submission}/{file.path}", file.size)


def padding(size: int, block: int = tarfile.BLOCKSIZE) -> bytes:
    """Return the zeros that fill the last block of `size` bytes."""
    return bytes(-size % block)


def write(out: BinaryIO, manifest: Manifest, open_file: Callable[[str], BinaryIO]) -> None:
    """Write a package. Raises ValueError for a file that has changed since the manifest was made, OSError."""
    with gzip.GzipFile("", "wb", LEVEL, out, mtime=0) as tar:
        size = len(manifest.data)
        total = tar.write(header(NAME, size) + manifest.data + padding(size))
        for file, head in members(manifest):
            total += tar.write(head)
            digest, left = hashlib.sha256(), file.size
            with open_file(file.path) as content:
                while piece := content.read(min(BLOCK, left + 1)):
                    digest.update(piece)
                    left -= len(piece)
                    if left < 0:
                        break
                    total += tar.write(piece)
            if left or digest.hexdigest() != file.sha256:
                raise ValueError(f"{file.path}: found other bytes than a moment ago, wanted a file that stays as it is")
            total += tar.write(padding(file.size))
        tar.write(bytes(2 * tarfile.BLOCKSIZE) + padding(total + 2 * tarfile.BLOCKSIZE, RECORD))


class Package:
    """A package that is being read. The constructor reads `manifest`. Raises Unsound for a file that is no package."""

    def __init__(self, file: BinaryIO):
        self.tar = gzip.GzipFile(fileobj=file)
        head = self.read(tarfile.BLOCKSIZE)
        try:
            size = tarfile.TarInfo.frombuf(head, "utf-8", "strict").size
        except (tarfile.TarError, ValueError):
            size = -1
        fits = 0 < size <= LARGEST and head == header(NAME, size)
        want(fits, "package", "no manifest at its beginning", f"{NAME} of at most {LARGEST} bytes")
        self.total = tarfile.BLOCKSIZE + size + len(padding(size))
        self.manifest = parse(self.read(size))
        self.exactly(padding(size), NAME)

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes of the tar, fewer at its end. Raises Unsound for anything but gzip."""
        try:
            return self.tar.read(size)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise Unsound(f"package: found no gzip ({error}), wanted one") from None

    def contents(self) -> Iterator[tuple[File, Iterator[bytes]]]:
        """Yield each file with an iterator over its bytes. Raises Unsound if anything differs from the manifest. A file
        is verified at the end of its iterator, the package at the end of this one."""
        for file in self.manifest.files:
            try:
                head = header(f"{self.manifest.submission}/{file.path}", file.size)
            except ValueError as error:
                raise Unsound(str(error)) from None
            self.exactly(head, file.path)
            pieces = self.pieces(file)
            yield file, pieces
            for _ in pieces:
                pass
            self.exactly(padding(file.size), file.path)
            self.total += tarfile.BLOCKSIZE + file.size + len(padding(file.size))
        end = bytes(2 * tarfile.BLOCKSIZE)
        self.exactly(end + padding(self.total + len(end), RECORD), "the end")
        want(not self.read(1), "the end", "more bytes", "the end of the package")

    def pieces(self, file: File) -> Iterator[bytes]:
        """Yield the bytes of the next file in pieces."""
        digest, left = hashlib.sha256(), file.size
        while left:
            piece = self.read(min(BLOCK, left))
            want(piece, file.path, f"{file.size - left} bytes", f"{file.size}")
            digest.update(piece)
            left -= len(piece)
            yield piece
        want(digest.hexdigest() == file.sha256, file.path, f"sha256 {digest.hexdigest()}", file.sha256)

    def exactly(self, wanted: bytes, where: str) -> None:
        """Raise Unsound unless these bytes come next."""
        same = self.read(len(wanted)) == wanted
        want(same, where, "other bytes than the manifest lets expect", "a plain file, as package.py writes it")


def verify(path: Path) -> Manifest:
    """Verify all files of a package; return its manifest. Raises Unsound, OSError."""
    with open_regular(path) as file:
        package = Package(file)
        for _ in package.contents():
            pass
        return package.manifest


def unpack(path: Path, to: Path, change: Callable[[Manifest, Path], Path] | None = None) -> Path:
    """Unpack a package into the folder `to`; return the submission's folder, which appears only if all of it is sound.

    `change(manifest, folder)` may replace the unpacked folder by another before it is put there. Raises ValueError if
    the folder exists already, Unsound, OSError.
    """
    with open_regular(path) as file:
        package = Package(file)
        to.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=to) as scratch:
            folder = Path(scratch) / package.manifest.submission
            for entry, pieces in package.contents():
                place = folder / entry.path
                place.parent.mkdir(parents=True, exist_ok=True)
                with naming(place), open(place, "xb") as out:
                    for piece in pieces:
                        out.write(piece)
            folder = change(package.manifest, folder) if change else folder
            return put_in_place(folder, to / folder.name)


def put_in_place(folder: Path, target: Path) -> Path:
    """Move a folder to `target`. Raises ValueError if something exists there."""
    if target.exists() or target.is_symlink():
        raise ValueError(f"{target}: found something there, wanted nothing: nothing is written over")
    shutil.move(folder, target)
    return target
