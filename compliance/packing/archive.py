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
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from benchmark.atomic import naming
from benchmark.log import open_regular
from compliance.packing.manifest import LARGEST, NAME, File, Manifest, Unsound, parse, want

BLOCK = 1 << 20  # bytes that are moved at a time
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


def padding(size: int, block: int = tarfile.BLOCKSIZE) -> bytes:
    """Return the zeros that fill the last block of `size` bytes."""
    return bytes(-size % block)


def layout(manifest: Manifest) -> Iterator[tuple[str, bytes | File]]:
    """Yield the parts of a package in order, each with the path that it belongs to: the files, and the bytes between
    them."""
    size = len(manifest.data)
    yield NAME, header(NAME, size) + manifest.data + padding(size)
    total = tarfile.BLOCKSIZE + size + len(padding(size))
    for file in manifest.files:
        yield file.path, header(f"{manifest.submission}/{file.path}", file.size)
        yield file.path, file
        yield file.path, padding(file.size)
        total += tarfile.BLOCKSIZE + file.size + len(padding(file.size))
    end = bytes(2 * tarfile.BLOCKSIZE)
    yield "the end", end + padding(total + len(end), tarfile.RECORDSIZE)


def write(out: BinaryIO, manifest: Manifest, open_file: Callable[[str], BinaryIO]) -> None:
    """Write a package. Raises ValueError for a file that has changed since the manifest was made, OSError."""
    with gzip.GzipFile("", "wb", LEVEL, out, mtime=0) as tar:
        for path, part in layout(manifest):
            if isinstance(part, bytes):
                tar.write(part)
                continue
            try:
                with open_file(path) as content:
                    tar.writelines(pieces(content.read, part))
                    want(not content.read(1), path, "more bytes", f"{part.size}")
            except Unsound:
                found = f"{path}: found other bytes than a moment ago"
                raise ValueError(f"{found}, wanted a file that stays as it is") from None


def pieces(read: Callable[[int], bytes], file: File) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces. Raises Unsound if they are not those of the manifest."""
    digest, left = hashlib.sha256(), file.size
    while left:
        piece = read(min(BLOCK, left))
        want(piece, file.path, f"{file.size - left} bytes", f"{file.size}")
        digest.update(piece)
        left -= len(piece)
        yield piece
    want(digest.hexdigest() == file.sha256, file.path, f"sha256 {digest.hexdigest()}", file.sha256)


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
        try:
            for path, part in islice(layout(self.manifest), 1, None):
                if isinstance(part, bytes):
                    self.exactly(part, path)
                    continue
                content = pieces(self.read, part)
                yield part, content
                for _ in content:
                    pass
        except ValueError as error:  # also of a path without room
            raise Unsound(str(error)) from None
        want(not self.read(1), "the end", "more bytes", "the end of the package")

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
            for entry, content in package.contents():
                place = folder / entry.path
                place.parent.mkdir(parents=True, exist_ok=True)
                with naming(place), open(place, "xb") as out:
                    out.writelines(content)
            folder = change(package.manifest, folder) if change else folder
            target = to / folder.name
            if target.exists() or target.is_symlink():
                raise ValueError(f"{target}: found something there, wanted nothing: nothing is written over")
            shutil.move(folder, target)
            return target
