"""Freeze a round: record the digest of every file, so that later changes are found.

    python results/freeze.py results/v1.0            # writes results/v1.0/frozen.txt: sha256, bytes, path
    python results/freeze.py results/v1.0 --check    # compares the round with frozen.txt

From then on the checker reports a changed submission of the round (rule TREE13). Only --check finds a submission that
was removed. Exit code: 0 written, or unchanged; 1 changed; 2 could not.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.reading.digest import sha256
from compliance.reading.frozen import NAME, changes, read_frozen
from compliance.safe import printable
from compliance.terminal import tell
from rules.current import editions


def main(argv: Sequence[str] | None = None) -> int:
    """Freeze or check, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("round", type=Path, help="the folder of a round, such as results/v1.0")
    parser.add_argument("--check", action="store_true", help="compare with frozen.txt, and write nothing")
    args = parser.parse_args(argv)
    try:
        return check(args.round) if args.check else freeze(args.round)
    except (ValueError, OSError) as error:
        tell(f"freeze.py: {error}")
        return 2


def freeze(folder: Path) -> int:
    """Write frozen.txt and return 0. Raises ValueError if the folder is no round, is frozen already, or holds something
    other than plain files."""
    if folder.resolve().name not in editions():
        raise ValueError(f"{folder}: found no folder named as an edition, wanted one of {', '.join(editions())}")
    if os.path.lexists(folder / NAME):
        raise ValueError(
            f"{folder / NAME}: the round is frozen already: compare with --check, or remove the file to freeze it again"
        )
    files = listed(folder)
    if not files:
        raise ValueError(f"{folder}: found no file, wanted submissions")
    text = "".join(f"{sha256(file)} {size} {path}\n" for path, (file, size) in sorted(files.items()))
    partial = folder / f"{NAME}.partial"
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, folder / NAME)
    print(f"wrote {folder / NAME}: {len(files)} files")
    return 0


def check(folder: Path) -> int:
    """Print every difference from frozen.txt; 1 if there is any, else 0. Raises ValueError if frozen.txt is missing or
    damaged."""
    frozen = read_frozen(folder)
    if frozen is None:
        raise ValueError(f"{folder}: found no {NAME}, wanted a round that is frozen")
    found = list(changes(listed(folder), frozen))
    for path, what in found:
        print(printable(f"{folder}/{path}: {what}"))
    print(
        f"{len(frozen)} files were frozen; {len(found)} are not as they were"
        if found
        else f"{len(frozen)} files as frozen"
    )
    return 1 if found else 0


def listed(folder: Path) -> dict[str, tuple[Path, int]]:
    """{path below the round: (file, bytes)} of every file. Raises ValueError for links, devices and the like, and for
    names that cannot be printed; OSError for a folder that cannot be read."""
    found, folders = {}, [""]
    while folders:  # os.walk would call itself for each folder in a folder
        home = folders.pop()
        with os.scandir(folder / home) as entries:
            for entry in entries:
                shown, is_folder = f"{home}{entry.name}", entry.is_dir(follow_symlinks=False)
                if not (is_folder or entry.is_file(follow_symlinks=False)) or not shown.isprintable():
                    raise ValueError(f"{entry.path}: wanted a plain file or folder with a name that can be printed")
                if is_folder:
                    folders.append(f"{shown}/")
                elif shown != NAME:
                    found[shown] = (folder / shown, entry.stat().st_size)
    return found


if __name__ == "__main__":
    sys.exit(main())
