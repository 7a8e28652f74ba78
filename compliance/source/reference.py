"""The published reference: the files that a run of it loads, as the checker's own tree or a release has them.

A path below `implementations/<name>` is compared with the same path below `implementations/pytorch`, so that a copy of
the folder under another name is told from what was changed in it.
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
    """sha256 of the checker's own files of a release's folders, of whatever kind, by path in the repository."""
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    files = [path for path in (*paths, ROOT / PACKAGE) if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def published_path(parts: tuple[str, ...]) -> str:
    """The path that a file of a submission's source has in the reference, if it has one there. `parts` are the names
    below the submission; "" for what lies in no folder of source."""
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
    """Whether a file is the reference's at its place, byte for byte: the checker's own or that of a release."""
    path = published_path(parts)
    return any(files.get(path) == sha256 for files in (own_files(), *releases.values()))
