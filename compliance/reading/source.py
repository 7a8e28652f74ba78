"""Source: the files that a run says it loaded, and the folder of its submission that holds them.

A folder of source is source/<first 12 digits of its digest>/, shared by all benchmarks and systems, with the paths as
logged; or, as in MLPerf HPC, benchmarks/<benchmark>/implementations/<name>/ for the runs of that benchmark. There, what
was logged as implementations/<any name>/<path> may also lie at <path>.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmark.tree import DIGITS, combine

MOST_FILES = 2000  # that a run may load
MOST_FOLDERS = 50  # that are compared with the files of a run
LONGEST_PATH = 255
SHA256 = re.compile(r"[0-9a-f]{64}")
DOCUMENT = re.compile(r"(?i)(^(readme|license|notice)|\.(md|rst|txt|pdf)$)")
SHARED, OWN = "source", "benchmarks"  # the tops of both kinds


@dataclass(frozen=True)
class Folder:
    """A folder of source. `files`: sha256 by path below it, "" of a file that could not be read."""

    parts: tuple[str, ...]
    files: dict[str, str]

    @property
    def shared(self) -> bool:
        return self.parts[0] == SHARED

    @property
    def has_code(self) -> bool:
        """Whether it holds more than documents."""
        return any(not DOCUMENT.search(path.rpartition("/")[2]) for path in self.files)

    def may_hold(self, benchmark: str) -> bool:
        """Whether it may be the source of a benchmark's runs."""
        return self.has_code and (self.shared or self.parts[1] == benchmark)

    def path_of(self, logged: str) -> str | None:
        """Where a logged path lies in it, or None."""
        if logged in self.files:
            return logged
        top, _, rest = logged.partition("/")
        within = rest.partition("/")[2] if top == "implementations" and not self.shared else ""
        return within if within in self.files else None

    @property
    def name(self) -> str:
        """The name that its files give it."""
        return self.digest[:DIGITS]

    @cached_property
    def digest(self) -> str:
        """The digest of all its files, "" if one could not be read."""
        if "" in self.files.values():
            return ""
        return combine((path.encode(errors="replace").decode(), digest) for path, digest in self.files.items())


def depth_of(parts: tuple[str, ...]) -> int:
    """How deep the folder of source lies that a file belongs to, 0 for none."""
    deep = 2 if parts[0] == SHARED else 4 if parts[0] == OWN and parts[2:3] == ("implementations",) else 0
    return deep if len(parts) > deep else 0


def fault_of(path: str, digest: Any) -> str:
    """What is wrong with an entry of the files that a run logs, or nothing."""
    if len(path) > LONGEST_PATH or not path.isprintable():
        return f"a path of more than {LONGEST_PATH} characters, or with some that can't be printed"
    if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        return "no plain path relative to the repository"
    if type(digest) is not str or not SHA256.fullmatch(digest):
        return f"{digest!r:.80}"
    return ""


def sound(files: Any) -> dict[str, str]:
    """The entries of logged files that are what they should be, so many of them at most."""
    entries = list(files.items())[:MOST_FILES] if type(files) is dict else ()
    return {path: digest for path, digest in entries if not fault_of(path, digest)}


def fitting(files: dict[str, str], folders: Iterable[Folder]) -> Folder | None:
    """The folder that holds most of a run's files; of equals a shared one, and one of the right name, comes first. None
    if there is no folder."""
    return max(list(folders)[:MOST_FOLDERS], key=lambda folder: _held(files, folder), default=None)


def _held(files: dict[str, str], folder: Folder) -> tuple[int, int, bool]:
    """(how many files it holds as they were, how many under the same path, whether it is where it should be)"""
    paths = [(folder.path_of(path), digest) for path, digest in files.items()]
    same = sum(path is not None and folder.files[path] == digest for path, digest in paths)
    return same, sum(path is not None for path, _ in paths), folder.shared and folder.parts[1] == folder.name
