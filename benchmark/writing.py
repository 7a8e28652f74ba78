"""Write a text or a copy where a command says, or to stdout. No run loads this module."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from benchmark.atomic import naming, replacing


def write_text(path: Path, text: str, executable: bool = False) -> None:
    """Write a file completely or not at all, with letters that have no code escaped. The folder is made if absent. A
    terminal, a pipe and the like are written to as they are. Raises OSError, which names the file."""
    data = text.encode(errors="backslashreplace")
    if path.exists() and not path.is_file():
        with naming(path):
            path.write_bytes(data)
        return
    with replacing(Path(os.path.realpath(path))) as partial:  # a link stays one
        partial.write_bytes(data)
        if executable:
            partial.chmod(0o755)


def put(text: str) -> None:
    """Write text to stdout. A closed pipe is no error. Raises OSError if stdout is closed or the disk is full."""
    if sys.stdout is None:  # it was closed before the start
        raise OSError("stdout: found it closed, wanted a place to write to")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may know fewer letters than a name has
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left has nowhere to go at the end
        if not isinstance(error, BrokenPipeError):
            raise OSError(f"stdout: cannot be written: {error.strerror}") from None


def copy_file(source: Path, target: Path) -> None:
    """Copy a file completely or not at all. Raises OSError, which names the file."""
    with replacing(target) as partial:
        partial.write_bytes(source.read_bytes())


def copy_tree(source: Path, target: Path, left_out: Callable[[str, list[str]], set[str]]) -> None:
    """Copy a folder, links as links, without the names that `left_out(folder, names)` returns. It stops at the first
    file that cannot be copied, where `shutil.copytree` goes on. Raises OSError, which names it."""
    target.mkdir(parents=True)
    names = os.listdir(source)
    for name in sorted(set(names) - left_out(str(source), names)):
        old, new = source / name, target / name
        if old.is_dir() and not old.is_symlink():
            copy_tree(old, new, left_out)
        else:
            with naming(new):
                shutil.copy2(old, new, follow_symlinks=False)
    shutil.copystat(source, target)
