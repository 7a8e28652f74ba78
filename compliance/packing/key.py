"""The key of an anonymous package: the names that were hidden, and the original of each replaced place.

The package has the sha256 of the key, so that the key can't be exchanged later. A random number in the key prevents
others from guessing names by trying whether the sha256 fits.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from benchmark.atomic import naming
from benchmark.log import open_regular
from compliance.packing.manifest import File, Manifest, Unsound, files_at, parse, path_fault, want
from compliance.packing.names import Spot, spellings
from compliance.reading.weights import LARGEST_HEADER, LENGTH

FORMAT = "scaffold-key-1"
WEIGHTS = ".safetensors"
DIGEST = re.compile(rb"[0-9a-f]{64}")
PSEUDONYM = re.compile(r"[a-z]+[0-9a-f]{8}n[1-9]\d{0,9}|/hidden/path[1-9]\d{0,9}")  # as names.py makes them
LARGEST = 64 << 20  # bytes of a key
LONGEST = 1000  # bytes of a replacement in a text
BLOCK = 1 << 20


@dataclass(frozen=True)
class Key:
    """The key. `original` is the manifest of the package with names. `names`: name -> pseudonym. `files`: path in the
    anonymous package -> (original path, what was replaced in it)."""

    salt: str
    original: Manifest
    names: dict[str, str]
    files: dict[str, tuple[str, tuple[Spot, ...]]]

    @cached_property
    def data(self) -> bytes:
        """The bytes of the key's file."""
        files = {
            path: [before, [[at, size, old.decode("latin-1")] for at, size, old in spots]]
            for path, (before, spots) in self.files.items()
        }
        values = {"format": FORMAT, "salt": self.salt, "original": self.original.data.decode(), "names": self.names}
        return json.dumps({**values, "files": files}, sort_keys=True).encode() + b"\n"

    @property
    def digest(self) -> str:
        """sha256 of the file."""
        return hashlib.sha256(self.data).hexdigest()


def read_key(path: Path) -> Key:
    """Read a key. Raises Unsound for a file that is no key, OSError."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        want(size <= LARGEST, str(path), f"{size} bytes", f"a key of at most {LARGEST}")
        data = file.read(LARGEST)
    try:
        values = json.loads(data)
        want(values["format"] == FORMAT, str(path), "another format", FORMAT)
        files = {
            after: (before, tuple((at, size, old.encode("latin-1")) for at, size, old in spots))
            for after, (before, spots) in values["files"].items()
        }
        names = values["names"]
        plain = type(names) is dict and all(type(n) is str and PSEUDONYM.fullmatch(n) for n in names.values())
        want(plain, str(path), "names that stand for something else than pseudonyms", "pseudonyms by name")
        key = Key(values["salt"], parse(values["original"].encode()), names, files)
        want(key.data == data, str(path), "a key that is written otherwise", "the file that package.py wrote")
    except Unsound:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unsound(f"{path}: found no key ({type(error).__name__}: {error!s:.80}), wanted one") from None
    return key


def restored(key: Key, where: str) -> Callable[[Manifest, Path], Path]:
    """Return a function that restores an unpacked anonymous package, byte for byte. It raises Unsound if the key is of
    another package. `where` is the path of the key in errors."""

    def change(manifest: Manifest, folder: Path) -> Path:
        wanted = manifest.key or "none: the package is not anonymous"
        want(manifest.key == key.digest, where, f"a key of sha256 {key.digest}", wanted)
        want(sorted(key.files) == [f.path for f in manifest.files], where, "other files", "those of the package")
        hidden = {text.casefold(): new for name, new in key.names.items() for text in spellings(name)}
        before = folder.with_name(f"{folder.name}.restored") / key.original.submission
        for after, (path, spots) in key.files.items():
            want(type(path) is str and not path_fault(path), where, f"{path!r:.80}", "plain relative paths")
            place = before / path
            place.parent.mkdir(parents=True, exist_ok=True)
            with open(folder / after, "rb") as changed, naming(place), open(place, "xb") as out:
                for piece in patched(changed, spots, where, hidden, weights=after.endswith(WEIGHTS)):
                    out.write(piece)
        found = files_at(before, (path for path, _ in key.files.values()))
        for file, original in zip(found, key.original.files, strict=False):
            want(file == original, f"{where}: {file.path}", told(file), told(original))
        want(len(found) == len(key.original.files), where, f"{len(found)} files", f"{len(key.original.files)}")
        return before

    return change


def patched(
    changed: BinaryIO, spots: tuple[Spot, ...], where: str, hidden: dict[str, str], weights: bool = False
) -> Iterator[bytes]:
    """Yield a file in pieces, with what was replaced in it put back.

    Raises Unsound unless each replacement is a name, a digest or a number of bytes (of weights also the header), so
    that what is disclosed is what was reviewed.
    """
    size, end, piece = os.fstat(changed.fileno()).st_size, 0, b""
    for at, length, old in (*spots, (size, 0, b"")):
        sound = type(at) is int and type(length) is int and end <= at <= size and 0 <= length <= size - at
        want(sound, where, f"a place {at!r:.40} in a file of {size} bytes", "places one after another")
        head = weights and not at
        few = length <= (LENGTH + LARGEST_HEADER if head else LONGEST)
        want(few, where, f"{length} bytes that are replaced", "a name, a digest, or bytes")
        while end < at:
            piece = changed.read(min(BLOCK, at - end))
            end += len(piece)
            yield piece
        new = changed.read(length)
        end += length
        if length or old:
            known = length and hidden.get(old.decode(errors="replace").casefold(), "").encode() == new
            digest = bool(DIGEST.fullmatch(old) and DIGEST.fullmatch(new))
            count = piece.endswith(b'"bytes": ') and old.isdigit() and new.isdigit()
            sound = known or digest or count or (head and is_header(old) and is_header(new))
            want(sound, where, f"{old!r:.80} in place of {new!r:.80}", "a name, a digest, or bytes")
        yield old


def is_header(data: bytes) -> bool:
    """Return whether these bytes are the whole header of a file of weights, and nothing else."""
    return len(data) >= LENGTH and len(data) - LENGTH == int.from_bytes(data[:LENGTH], "little")


def told(file: File) -> str:
    """Return a file in words."""
    return f"{file.path}, {file.size} bytes, sha256 {file.sha256}"
