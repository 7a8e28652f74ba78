"""Write a text or a copy where a command says. No run loads this module."""

import os
import shutil
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
