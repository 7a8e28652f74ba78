"""Freeze a round: record the digest of every file, so that later changes are found.

    python results/freeze.py results/v1.0            # judges the round, and writes results/v1.0/frozen.txt
    python results/freeze.py results/v1.0 --check    # compares the round with frozen.txt: sha256, bytes, path

A round with errors is not frozen: fix them, waive them (--waivers FILE), or say --with-errors. From then on the
checker reports a changed submission of the round (rule TREE13). Only --check finds a submission that was removed. Both
list the organisations that have entries in the round's registry and handed in no submission. Exit code: 0 written, or
unchanged; 1 changed; 2 could not.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.atomic import sweep
from benchmark.writing import write_text
from compliance.engine import judge
from compliance.finding import counted, errors
from compliance.reading.digest import sha256
from compliance.reading.discovery import discover
from compliance.reading.rounds import NAME, changes, read_frozen
from compliance.reviewing.waiver import Waivers, read_waivers
from compliance.safe import printable, tell
from rules.current import editions
from rules.names import folded
from rules.registry import NAME as REGISTRY
from rules.registry import Damaged, read_registry


def main(argv: Sequence[str] | None = None) -> int:
    """Freeze or check, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("round", type=Path, help="the folder of a round, such as results/v1.0")
    parser.add_argument("--check", action="store_true", help="compare with frozen.txt, and write nothing")
    parser.add_argument("--waivers", metavar="FILE", type=Path, help="reviewers' waivers for the round")
    parser.add_argument("--with-errors", action="store_true", help="freeze the round whatever its errors")
    args = parser.parse_args(argv)
    try:
        if args.check:
            return check(args.round)
        waivers = read_waivers(args.waivers, [args.round]) if args.waivers else None
        return freeze(args.round, waivers, args.with_errors)
    except (ValueError, OSError) as error:
        tell(f"freeze.py: {error}")
        return 2


def freeze(folder: Path, waivers: Waivers | None = None, with_errors: bool = False) -> int:
    """Write frozen.txt and return 0. Raises ValueError if the folder is no round, is frozen already, holds something
    other than plain files, or (unless `with_errors`) has errors."""
    if folder.resolve().name not in editions():
        raise ValueError(f"{folder}: found no folder named as an edition, wanted one of {', '.join(editions())}")
    if os.path.lexists(folder / NAME):
        raise ValueError(
            f"{folder / NAME}: the round is frozen already: compare with --check, or remove the file to freeze it again"
        )
    sweep([folder / NAME])
    files = listed(folder)
    if not files:
        raise ValueError(f"{folder}: found no file, wanted submissions")
    if not with_errors:
        refuse_errors(folder, waivers)
    text = "".join(f"{sha256(file)} {size} {path}\n" for path, (file, size) in sorted(files.items()))
    write_text(folder / NAME, text)
    print(f"wrote {folder / NAME}: {len(files)} files")
    tell_absent(folder)
    return 0


def refuse_errors(folder: Path, waivers: Waivers | None) -> None:
    """Judge the round. Raises ValueError, which names the first error, if it has any."""
    verdict = judge([folder], waivers=waivers)
    found = [f"{f.code} at {f.path}:{f.line}" for f in errors(verdict.findings)]
    found += [f"{path}: {reason}" for path, reason in verdict.missed]
    if found:
        raise ValueError(
            f"{folder}: found {counted(len(found), 'error')}, the first {printable(found[0])}, wanted none: "
            "fix them (compliance/check.py tells all), waive them (--waivers FILE), or say --with-errors"
        )


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
    tell_absent(folder)
    return 1 if found else 0


def tell_absent(folder: Path) -> None:
    """Print each organisation that has entries in the round's registry, if that is whole, and handed in nothing."""
    try:
        registry = read_registry(folder / REGISTRY, folder.resolve().name)
    except (Damaged, FileNotFoundError):
        return
    there = {folded(submission.org) for submission in discover([str(folder)]).submissions}
    absent: dict[str, list[str]] = {}
    for entry in registry.entries:
        if folded(entry.organisation) not in there:
            absent.setdefault(entry.organisation, []).append(str(entry.entry))
    for organisation, entries in absent.items():
        print(f"registered and never handed in: {organisation} ({REGISTRY}, entry {', '.join(entries)})")


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
