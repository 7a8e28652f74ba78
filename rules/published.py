"""The published source: this tree's own files, and those of the releases that an edition lists.

A file below `implementations/<name>` is compared with the same file of `implementations/pytorch`, so that a copy of the
reference under another name counts as the reference, except for the files that were changed in it. Other published
implementations are compared with themselves.
"""

import functools
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
IMPLEMENTATIONS, REFERENCE = "implementations", "implementations/pytorch"
FOLDERS = ("benchmark", "rules", REFERENCE, "implementations/minimal")  # of which a published run loads files
PACKAGE = "implementations/__init__.py"
MOST_NAMED = 3  # files

Releases = Mapping[str, Mapping[str, str]]  # name -> {path: sha256}


@dataclass(frozen=True)
class Origin:
    """Where files come from. `release` is this tree or the release that all of them are of, "" if there is none;
    `others` are those that are of none at all."""

    files: int
    release: str
    others: tuple[str, ...]

    @property
    def words(self) -> str:
        """Whether it is the reference's source, "" for no files."""
        if not self.others:
            return "every file is identical to the reference implementation's" if self.files else ""
        verb = "differs" if len(self.others) == 1 else "differ"
        return f"{len(self.others)} of {self.files} files {verb} from the reference implementation's"

    @property
    def details(self) -> str:
        """The same with the release, or with some of the other files."""
        more = len(self.others) - MOST_NAMED
        named = ", ".join(self.others[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        return self.words + (f": {named}" if self.others else f", of {self.release or 'several releases'}")


def origin(files: Iterable[tuple[str, str]], releases: Releases) -> Origin:
    """Return the origin of files, given as path in the repository and sha256."""
    found = list(files)
    known: Releases = {"this tree": own_files(), **releases}
    others = tuple(path for path, digest in found if not is_published(path, digest, releases))
    whole = (name for name, held in known.items() if all(held.get(place(path)) == d for path, d in found))
    return Origin(len(found), next(whole, ""), others)


def is_published(path: str, sha256: str, releases: Releases) -> bool:
    """Return whether a file is this tree's or a release's, at its place."""
    return any(files.get(place(path)) == sha256 for files in (own_files(), *releases.values()))


def place(path: str) -> str:
    """Return the path of the published file with which the file at a path is compared."""
    top, _, rest = path.partition("/")
    if top == IMPLEMENTATIONS and "/" in rest and not path.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
        return f"{REFERENCE}/{rest.partition('/')[2]}"
    return path


@functools.cache
def own_files(repository: Path = REPOSITORY) -> dict[str, str]:
    """Return path in the repository -> sha256 of all files in the published folders."""
    paths = (path for folder in FOLDERS for path in (repository / folder).rglob("*"))
    files = sorted(p for p in (*paths, repository / PACKAGE) if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(repository).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
