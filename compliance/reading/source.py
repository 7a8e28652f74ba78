"""The files that a run loaded, and the folder of source in the submission that holds them.

A folder of source is source/<first 12 digits of its digest>/, which all benchmarks and systems may share; files have
the paths that logs give. As in MLPerf HPC, it may also be benchmarks/<benchmark>/implementations/<name>/, for the runs
of that benchmark. There, a file logged as implementations/<any name>/<path> may also lie at <path>.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmark.source import combine
from benchmark.tree import DIGITS
from compliance.reading.digest import is_sha256

MOST_FILES = 2000  # files that a run may load
MOST_FOLDERS = 50  # folders that are compared with the files of a run
LONGEST_PATH = 255
DOCUMENT = re.compile(r"(?i)(^(readme|license|notice)|\.(md|rst|txt|pdf)$)")
SHARED, OWN = "source", "benchmarks"  # the top folders of both kinds


@dataclass(frozen=True)
class Folder:
    """A folder of source. `files` maps paths below it to sha256, "" for a file that could not be read."""

    parts: tuple[str, ...]
    files: dict[str, str]

    @property
    def shared(self) -> bool:
        return self.parts[0] == SHARED

    @property
    def has_code(self) -> bool:
        """Whether it has files other than documents."""
        return any(not DOCUMENT.search(path.rpartition("/")[2]) for path in self.files)

    def may_hold(self, benchmark: str) -> bool:
        """Return whether it may be the source of a benchmark's runs."""
        return self.has_code and (self.shared or self.parts[1] == benchmark)

    def path_of(self, logged: str) -> str | None:
        """Return the path in this folder of a logged path, None if it is not there."""
        if logged in self.files:
            return logged
        top, _, rest = logged.partition("/")
        within = rest.partition("/")[2] if top == "implementations" and not self.shared else ""
        return within if within in self.files else None

    @property
    def name(self) -> str:
        """The name that follows from its files: the first digits of their digest."""
        return self.digest[:DIGITS]

    @cached_property
    def digest(self) -> str:
        """The digest of all its files, "" if one could not be read."""
        if "" in self.files.values():
            return ""
        return combine((path.encode(errors="replace").decode(), digest) for path, digest in self.files.items())


def depth_of(parts: tuple[str, ...]) -> int:
    """Return how many leading parts of a path are its folder of source, 0 if it is in none."""
    deep = 2 if parts[0] == SHARED else 4 if parts[0] == OWN and parts[2:3] == ("implementations",) else 0
    return deep if len(parts) > deep else 0


def fault_of(path: str, digest: Any) -> str:
    """Return what is wrong with a path and digest that a run logs, "" if nothing."""
    if len(path) > LONGEST_PATH or not path.isprintable():
        return f"a path of more than {LONGEST_PATH} characters, or with some that can't be printed"
    if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        return "no plain path relative to the repository"
    if not is_sha256(digest):
        return f"{digest!r:.80}"
    return ""


def sound(files: Any) -> dict[str, str]:
    """Return the valid entries among the first MOST_FILES of the logged files."""
    entries = list(files.items())[:MOST_FILES] if type(files) is dict else ()
    return {path: digest for path, digest in entries if not fault_of(path, digest)}


def fitting(files: dict[str, str], folders: Iterable[Folder]) -> Folder | None:
    """Return the folder that has most of a run's files, None if there is no folder. Of equals, a shared folder with the
    right name wins."""
    return max(list(folders)[:MOST_FOLDERS], key=lambda folder: _held(files, folder), default=None)


def _held(files: dict[str, str], folder: Folder) -> tuple[int, int, bool]:
    """Return (number of identical files, number of files at the same path, whether its name is right)."""
    paths = [(folder.path_of(path), digest) for path, digest in files.items()]
    same = sum(path is not None and folder.files[path] == digest for path, digest in paths)
    return same, sum(path is not None for path, _ in paths), folder.shared and folder.parts[1] == folder.name
