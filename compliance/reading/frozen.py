"""What a frozen round holds: frozen.txt in the folder that names the round's edition, a line a file, as
`results/freeze.py` writes it: sha256, bytes, path."""

import functools
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmark.log import open_regular

NAME = "frozen.txt"
LARGEST = 64 << 20  # bytes of the list
LINE = re.compile(r"([0-9a-f]{64}) (\d{1,15}) ([^/\s].*)")
Files = Mapping[str, tuple[str, int]]  # path -> sha256 and bytes


def read_frozen(folder: Path) -> Files | None:
    """The files of a round as they were frozen; None of a round that is not. Raises ValueError, naming the line, for a
    list that is damaged."""
    path = folder / NAME
    if not os.path.lexists(path):
        return None
    try:
        with open_regular(path) as file:
            stamp = os.fstat(file.fileno())
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    return _parsed(path, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache(maxsize=8)
def _parsed(path: Path, _changed: int, size: int) -> Files:
    if size > LARGEST:
        raise ValueError(f"{path}: found {size} bytes, wanted {LARGEST} at most")
    with open_regular(path) as file:
        text = file.read(LARGEST).decode(errors="replace")
    found: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = LINE.fullmatch(line)
        if not match or match[3] in found:
            raise ValueError(f"{path}:{number}: found {line[:80]!r}, wanted a sha256, a number of bytes and a new path")
        found[match[3]] = (match[1], int(match[2]))
    return found


def changes(files: Mapping[str, tuple[Path, int]], frozen: Files) -> Iterator[tuple[str, str]]:
    """(path, what became of it) of files that are not as they were frozen; `files` are where a path's file lies and its
    bytes. Of a file of other size nothing is read."""
    for path in sorted({*files, *frozen}):
        if path not in frozen:
            yield path, "added"
        elif path not in files:
            yield path, "absent"
        elif files[path][1] != frozen[path][1] or sha256(files[path][0]) != frozen[path][0]:
            yield path, "changed"


def sha256(file: Path) -> str:
    """The digest of a file, "" of one that can't be read."""
    try:
        with open_regular(file) as data:
            return hashlib.file_digest(data, "sha256").hexdigest()
    except OSError:
        return ""
