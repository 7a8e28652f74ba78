"""The state of the repository that a run's files come from: the commit, and which of them differ from it.

git is asked for what a commit holds alone (rev-parse, ls-tree). Neither reads the index nor runs hooks, filters, file
system monitors or anything else that a repository's configuration names.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmark.environment.commands import Asked

GIT = ("git", "--no-pager", "--literal-pathspecs")
SHOWN = 20  # files that are named
MOST = 500  # files that are held against a commit


def questions(root: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """What git is asked, by name: the commit, and what it holds under these paths."""
    at = [*GIT, "-C", str(root)]
    return {
        "commit": [*at, "rev-parse", "--verify", "HEAD^{commit}"],
        "held": [*at, "ls-tree", "-r", "-z", "--full-tree", "HEAD", "--", *sorted(files)[:MOST]],
    }


def state(root: Path, files: Iterable[str], asked: Asked) -> dict[str, Any]:
    """The commit; of the files, paths relative to `root`, how many differ from it, and which, at most 20. Raises
    ValueError where there is no repository, or git does not answer in time."""
    commit = asked.answer("commit")
    lines = (line.partition("\t") for line in asked.answer("held").split("\0") if line)
    held = {path: words.split()[-1] for words, _, path in lines}
    differ = [path for path in sorted(files)[:MOST] if blob(root / path, held.get(path, "")) != held.get(path)]
    return {"commit": commit, "dirty": bool(differ), "changed": len(differ), "files": differ[:SHOWN]}


def blob(path: Path, like: str) -> str:
    """The name that git would give the bytes of a file, by the algorithm of a name `like` it; "" without a file."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    algorithm = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return algorithm(b"blob %d\0" % len(data) + data).hexdigest()
