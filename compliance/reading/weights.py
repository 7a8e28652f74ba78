"""Final weights: what a log says of them, and the file beside it.

The file is safetensors: eight bytes with the length of the header, the header in JSON (name, dtype, shape and place of
each tensor), and the numbers. Only names, places and digests are kept of it.
"""

import hashlib
import math
import os
import struct
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from benchmark.log import Event, open_regular
from benchmark.run.files import WEIGHTS, weights_path
from benchmark.tree import SUPERSEDED
from compliance.reading.digest import Named, named_by
from compliance.reading.values import Unsound, fields, read_object

KEY = "weights"
BLOCK = 1 << 20  # bytes read at a time
LENGTH, WIDTH = 8, 4  # bytes of the header's length, and of a number
LARGEST_HEADER = 1 << 20
MOST_TENSORS, LONGEST_NAME, MOST_AXES = 10_000, 255, 8
MOST_NUMBERS = 1 << 53  # sizes below this are exact in every program
FEWEST = 64  # numbers of a tensor that can tell runs apart
MOST_COMPARED = 64  # such tensors of a file that are compared, the largest ones


class Tensor(NamedTuple):
    """A tensor of a file: its name, the offset of its numbers in bytes, and how many it has."""

    name: str
    start: int
    size: int


def file_of(log: str) -> str:
    """Return the path by which the log of this name or path gives the file of its weights."""
    path = Path(log)
    return weights_path(path).relative_to(path.parent).as_posix()


def in_folder(parts: tuple[str, ...]) -> bool:
    """Return whether a path inside a submission is in the folder of weights of a set."""
    return parts[0] == "results" and len(parts) > 4 and parts[-2] == WEIGHTS and SUPERSEDED not in parts


def named(event: Event | None, log: str) -> Named | None:
    """Return the weights that the log of this name gives; None if it gives none or is malformed."""
    return named_by(event, file_of(log)) if event else None


def open_weights(path: Path) -> BinaryIO:
    """Open a file of weights. Raises OSError for anything but a regular file in a folder that is no link."""
    if path.parent.is_symlink() or path.is_symlink():
        raise OSError("a symbolic link")
    return open_regular(path)


def digest_of(path: Path, most: int) -> tuple[int, str]:
    """Return the bytes and the sha256 of a file of weights; the latter is "" above `most` bytes. Raises OSError."""
    with open_weights(path) as file:
        size = os.fstat(file.fileno()).st_size
        return size, hashlib.file_digest(cast("BufferedReader", file), "sha256").hexdigest() if size <= most else ""


def read_tensors(path: Path) -> tuple[Tensor, ...]:
    """Return the tensors of a file of weights in the order of their places, without reading numbers.

    Raises OSError, and Unsound with found and wanted unless float32 tensors fill the file from the header to its end.
    """
    with open_weights(path) as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(LENGTH), "little")
        if not 2 <= length <= min(LARGEST_HEADER, size - LENGTH):
            raise Unsound(f"a header of {length} bytes in a file of {size}", f"2 to {LARGEST_HEADER}, within the file")
        entries = read_object(file.read(length), "a header that is ")
    if not 0 < len(entries) <= MOST_TENSORS:
        raise Unsound(f"{len(entries)} tensors", f"1 to {MOST_TENSORS} tensors")
    tensors = sorted((_tensor(name, entry) for name, entry in entries.items()), key=lambda t: (t.start, t.size))
    end = 0
    for tensor in tensors:
        if tensor.start != end:
            raise Unsound(f"tensor {tensor.name!r} at {tensor.start}", f"{end}, where the one before ends")
        end += WIDTH * tensor.size
    if LENGTH + length + end != size:
        raise Unsound(f"{size} bytes", f"{LENGTH + length + end}, of the header and its tensors")
    return tuple(t._replace(start=LENGTH + length + t.start) for t in tensors)


def _tensor(name: str, entry: Any) -> Tensor:
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Unsound(f"the name {name!r:.80}", f"1 to {LONGEST_NAME} characters that can be printed")
    if name == "__metadata__":
        raise Unsound("metadata", "none")
    kind, shape, place = fields(entry, "dtype", "shape", "data_offsets")
    if kind != "F32" or len(entry) != 3:
        raise Unsound(f"tensor {name!r} of {kind!r:.40}", "dtype F32, shape and data_offsets")
    if not _counts(shape) or len(shape) > MOST_AXES or math.prod(shape) > MOST_NUMBERS:
        raise Unsound(f"tensor {name!r} of shape {shape!r:.80}", f"up to {MOST_AXES} extents")
    count = math.prod(shape)
    if not _counts(place) or len(place) != 2 or place[1] - place[0] != WIDTH * count:
        raise Unsound(f"tensor {name!r} at {place!r:.80}", f"[begin, end] of {WIDTH * count} bytes")
    return Tensor(name, place[0], count)


def _counts(values: Any) -> bool:
    """Return whether a value is a list of integers from 0 on."""
    return type(values) is list and all(type(n) is int and 0 <= n <= MOST_NUMBERS for n in values)


def not_finite(path: Path) -> tuple[str, int] | None:
    """Return the name of the first tensor with NaN or infinite numbers, and how many it has; None if there is none.
    Raises OSError, Unsound."""
    tensors = read_tensors(path)
    with open_weights(path) as file:
        for tensor in tensors:
            if count := sum(map(_odd, _blocks(file, tensor))):
                return tensor.name, count
    return None


def _odd(block: bytes) -> int:
    """Return how many numbers of a block are NaN or infinite. The last byte of these is 0x7F or 0xFF, as that of other
    numbers is from 1.7e38 on."""
    last = block[WIDTH - 1 :: WIDTH]
    if 0x7F not in last and 0xFF not in last:
        return 0
    return sum(not math.isfinite(number) for (number,) in struct.iter_unpack("<f", block))


def contents(path: Path) -> dict[str, int]:
    """Return sha256 -> count of numbers, of the largest tensors that tell runs apart. Tensors in which all numbers are
    equal are left out. Raises OSError, Unsound."""
    large = sorted((t for t in read_tensors(path) if t.size >= FEWEST), key=lambda t: (-t.size, t.start))
    found: dict[str, int] = {}
    with open_weights(path) as file:
        for tensor in large[:MOST_COMPARED]:
            digest, first, varies = hashlib.sha256(), b"", False
            for block in _blocks(file, tensor):
                first = first or block[:WIDTH]
                varies = varies or block != first * (len(block) // WIDTH)
                digest.update(block)
            if varies:
                found[digest.hexdigest()] = tensor.size
    return found


def _blocks(file: BinaryIO, tensor: Tensor) -> Iterator[bytes]:
    file.seek(tensor.start)
    left = WIDTH * tensor.size
    while left and (block := file.read(min(BLOCK, left))):
        left -= len(block)
        yield block
