"""The list of a frozen round's files: frozen.txt in the folder that names the round's edition.

`results/freeze.py` writes it, with a line for each file: sha256, bytes, path.
"""

import functools
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmark.log import open_regular
from compliance.reading.digest import sha256
from compliance.reading.edition import Target, round_folder
from rules.current import OURS, version
from rules.edition import Edition

NAME = "frozen.txt"
LARGEST = 64 << 20  # bytes of the list
LINE = re.compile(r"([0-9a-f]{64}) (\d{1,15}) ([^/\s].*)")
Files = Mapping[str, tuple[str, int]]  # path -> sha256 and bytes


def published_order(target: Target, edition: Edition) -> tuple[int, ...]:
    """Return a key that sorts targets by the publication of their rounds: frozen rounds first, then by the edition,
    those of MLPerf HPC before ours. Equal keys leave open which came first."""
    folder = round_folder(target, edition.name)
    frozen = folder is not None and os.path.lexists(folder / NAME)
    ours = version(edition.name) if OURS.fullmatch(edition.name) else (0, 0)
    return (not frozen, *ours, edition.limits.year)


def read_frozen(folder: Path) -> Files | None:
    """Return the files of a round as they were frozen; None if the round is not frozen. Raises ValueError, which names
    the line, for a damaged list."""
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
    """Yield (path, "added", "absent" or "changed") of each file that differs from the frozen list. `files` maps a path
    to the file and its bytes. A file of another size is not read."""
    for path in sorted({*files, *frozen}):
        if path not in frozen:
            yield path, "added"
        elif path not in files:
            yield path, "absent"
        elif files[path][1] != frozen[path][1] or sha256(files[path][0]) != frozen[path][0]:
            yield path, "changed"
