"""Remove private folders from texts, so that a command or a variable shows what it names, but not where that lies."""

import os
import re
from pathlib import Path

from benchmark.source import ROOT, relative

COMMON = ("usr", "opt", "lib", "lib64", "etc", "dev", "proc", "sys", "bin", "sbin")  # folders that every system has
PATH = re.compile(r"""(?<![\w./~-])(?:~|\.{1,2})?/[^\s:;,='"]*""")


def shortened(word: str, root: Path = ROOT) -> str:
    """Return a word of a command line, or a value, with its paths shortened. A path in the repository becomes relative
    to it. A path in a folder that every system has stays. Of any other path only .../ and the last part remain."""
    name, equals, value = word.partition("=")
    if equals and "/" not in name:
        return f"{name}={_path(value, root) if _is_path(value) else _inner(value, root)}"
    return _path(word, root) if _is_path(word) else _inner(word, root)


def _is_path(word: str) -> bool:
    """Return whether a whole word is a path, which may have spaces in it."""
    return "/" in word and not re.search("[:;,]", word)


def _inner(text: str, root: Path) -> str:
    return PATH.sub(lambda found: _path(found[0], root), text)


def _path(path: str, root: Path) -> str:
    if inside := relative(os.path.expanduser(path), root):
        return inside
    parts = Path(path).parts
    if path.startswith("/") and len(parts) > 1 and parts[1] in COMMON and ".." not in parts:
        return path
    home = Path(os.path.expanduser("~")).name  # of a user's own folder; ~ for a user without one
    nameless = not parts or parts[-1] in ("/", "..", "~", home)
    return "..." if nameless else f".../{parts[-1]}"
