"""The manifest of a package, its first file: the paths, sizes and digests of all files."""

import hashlib
import io
import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.atomic import LEFTOVER
from benchmark.log import open_regular
from compliance.reading.digest import is_sha256
from compliance.reading.discovery import LARGEST as LARGEST_ALL
from compliance.reading.tree import DEEPEST, MOST_ENTRIES, Submission

NAME = "package.json"
FORMAT = "scaffold-package-1"
LARGEST = 64 << 20  # bytes of a manifest
LONGEST = 255  # bytes of a path, by tar's basic format
OF_GIT = re.compile(r"(?i)(\.git|git~\d+)[. ]*")  # git runs programs that settings in such a folder name
LINE = re.compile(rb' *(?:[\[\]{}],?|"[a-z0-9]+": (?:"(?:[^"\\]|\\.)*",?|\d+,?|\[))\n')  # of a manifest
LINES, LONGEST_LINE = 5 * MOST_ENTRIES + 9, 2000


class Unsound(ValueError):
    """A package or key is not sound; the text says why."""


@dataclass(frozen=True)
class File:
    """A file of a submission: its path below the submission's folder, bytes, sha256 in hexadecimal."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The content of a package. `submission` is the name of its folder, `edition` the rules by which it was judged.
    `key` is the sha256 of an anonymous package's key, "" for any other package. Raises Unsound for invalid content."""

    submission: str
    edition: str
    files: tuple[File, ...]
    key: str = ""

    def __post_init__(self) -> None:
        for name in (self.submission, self.edition):
            plain = type(name) is str and "/" not in name and name[:1] not in ("-", ".") and not path_fault(name)
            want(plain, NAME, name, "the plain name of a folder")
        want(self.key == "" or is_sha256(self.key), NAME, self.key, "a sha256 or nothing")
        want(0 < len(self.files) <= MOST_ENTRIES, NAME, f"{len(self.files)} files", f"1 to {MOST_ENTRIES}")
        for file in self.files:
            fault = path_fault(file.path) if type(file.path) is str else "no text"
            want(not fault, NAME, f"{file.path!r:.80} ({fault})", "plain relative paths")
            want(type(file.size) is int and 0 <= file.size <= LARGEST_ALL, file.path, file.size, "a number of bytes")
            want(is_sha256(file.sha256), file.path, file.sha256, "a sha256")
        paths = [file.path for file in self.files]
        want(paths == sorted(set(paths)), NAME, "files in another order, or one twice", "them sorted, each once")
        above: set[str] = set()
        for path in paths:
            above.update(path.rsplit("/", n)[0] for n in range(1, path.count("/") + 1))
            found = f"more than {MOST_ENTRIES} files and folders"
            want(len(above) + len(paths) <= MOST_ENTRIES, NAME, found, "no more than are looked at")
        want(above.isdisjoint(paths), NAME, "a file that is a folder, too", "one or the other")
        total = sum(file.size for file in self.files)
        want(total <= LARGEST_ALL, NAME, f"{total} bytes in all files", f"at most {LARGEST_ALL}")

    @cached_property
    def data(self) -> bytes:
        """The bytes of package.json."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, sort_keys=True).encode() + b"\n"

    @property
    def digest(self) -> str:
        """The sha256 of the manifest. It covers all files, however they are compressed."""
        return hashlib.sha256(self.data).hexdigest()


def want(holds: Any, where: str, found: Any, wanted: str) -> None:
    """Raise Unsound with place, found and wanted unless `holds`."""
    if not holds:
        raise Unsound(f"{where!s:.255}: found {found!s:.120}, wanted {wanted}")


def path_fault(path: str) -> str:
    """Return what is wrong with a path in a package, "" if nothing."""
    if not path.isprintable() or "\\" in path:
        return "a character that has no place in it"
    if len(path.encode(errors="replace")) > LONGEST:
        return f"more than {LONGEST} bytes"
    if any(part in ("", ".", "..") for part in path.split("/")):
        return "not relative, or not plain"
    if any(OF_GIT.fullmatch(part) for part in path.split("/")):
        return "a folder of git's"
    return f"more than {DEEPEST} folders deep" if path.count("/") > DEEPEST else ""


def parse(data: bytes) -> Manifest:
    """Parse a manifest. Raises Unsound unless the bytes are exactly those that package.py writes."""
    # Checking lines first, with one value each, prevents other JSON from becoming millions of objects.
    lines = io.BytesIO(data) if data.count(b"\n") <= LINES else [b""]
    few = all(len(line) <= LONGEST_LINE and LINE.fullmatch(line) for line in lines)
    want(few, NAME, "a manifest that is written otherwise", "the form in which package.py writes it")
    try:
        values = json.loads(data)
        entries = values.pop("files")
        want(values.pop("format") == FORMAT, NAME, "another format", FORMAT)
        names = {field.name for field in fields(File)}
        plain = type(entries) is list and all(type(entry) is dict and entry.keys() == names for entry in entries)
        want(plain, NAME, "files of another form", ", ".join(sorted(names)))
        manifest = Manifest(files=tuple(File(**entry) for entry in entries), **values)
        same = manifest.data == data
    except Unsound:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unsound(f"{NAME}: found no manifest ({type(error).__name__}: {error!s:.80}), wanted one") from None
    want(same, NAME, "a manifest that is written otherwise", "the form in which package.py writes it")
    return manifest


def manifest_of(submission: Submission, edition: str) -> Manifest:
    """Return the manifest of a submission's files. Raises ValueError for what can't be packed, OSError."""
    left = [entry for entry in submission.entries if LEFTOVER.fullmatch(entry.parts[-1])]
    if left:
        found = f"{'/'.join(left[0].parts)}, which a program that was killed left half written"
        raise ValueError(f"{submission.name}: found {found}, wanted none: remove it")
    odd = [entry for entry in submission.entries if entry.kind not in ("file", "folder")]
    if odd or submission.cut:
        found = f"a {odd[0].kind} at {'/'.join(odd[0].parts)}" if odd else "more files than are looked at"
        raise ValueError(f"{submission.name}: found {found}, wanted files and folders")
    paths = ["/".join(entry.parts) for entry in submission.entries if entry.kind == "file"]
    return Manifest(submission.org, edition, files_at(submission.path, paths))


def files_at(root: Path, paths: Iterable[str]) -> tuple[File, ...]:
    """Return the files at these paths below a folder, sorted by path. Raises OSError."""
    files = []
    for path in sorted(paths):
        with open_regular(root / path) as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.file_digest(file, "sha256")  # type: ignore[arg-type]  # the stub wants a class of io
            files.append(File(path, size, digest.hexdigest()))
    return tuple(files)
