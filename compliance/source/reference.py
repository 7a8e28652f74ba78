"""The published reference: the files of the checker's own tree, and those of releases.

A path below `implementations/<name>` is compared with the same path below `implementations/pytorch`, so that a copy of
the folder under another name counts as the reference, except for the files that were changed in it.
"""

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path

from compliance.reading.source import SHARED, depth_of
from rules.release import FOLDERS, PACKAGE

ROOT = Path(__file__).resolve().parents[2]
IMPLEMENTATIONS, REFERENCE = "implementations", "implementations/pytorch"
TOPS = (IMPLEMENTATIONS, "benchmark", "rules")


@functools.cache
def own_files() -> dict[str, str]:
    """Return path in the repository -> sha256 of all the checker's own files in the folders of a release."""
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    files = [path for path in (*paths, ROOT / PACKAGE) if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def published_path(parts: tuple[str, ...]) -> str:
    """Return the path that a submitted file would have in the reference, "" for a file in no folder of source. `parts`
    are those of its path below the submission."""
    depth = depth_of(parts)
    if not depth:
        return ""
    top, _, rest = "/".join(parts[depth:]).partition("/")
    if top == IMPLEMENTATIONS and "/" in rest:
        return f"{REFERENCE}/{rest.partition('/')[2]}"
    if parts[0] == SHARED or top in TOPS:
        return "/".join(parts[depth:])
    return f"{REFERENCE}/{'/'.join(parts[depth:])}"


def is_published(parts: tuple[str, ...], sha256: str, releases: Mapping[str, Mapping[str, str]]) -> bool:
    """Return whether a file equals the reference's at its place: the checker's own or that of a release."""
    path = published_path(parts)
    return any(files.get(path) == sha256 for files in (own_files(), *releases.values()))
