"""List the submissions that a change touches, for pull requests and a pre-commit hook. Run it inside the clone.

    python compliance/changed.py BASE [HEAD]      # what differs between two commits; HEAD where not said
    python compliance/changed.py --staged         # what is about to be committed

Prints the path of each changed submission, results/<round>/<organisation>, and of each round in which another file
changed. The round's folder may also lie deeper, as in results/v1.0-tuning/v1.0. --null separates paths by NUL, for
xargs -0. Exit codes: 0 done, 1 a submission was removed (named on stderr), 2 git failed.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.safe import printable, tell
from rules.current import editions

RESULTS = "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the paths that the change touches; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?", metavar="BASE", help="a commit")
    parser.add_argument("head", nargs="?", metavar="HEAD", default="HEAD", help="a later one (default: %(default)s)")
    parser.add_argument("--staged", action="store_true", help="what is about to be committed, instead")
    parser.add_argument("--null", action="store_true", help="end each path with NUL instead of a line's end")
    args = parser.parse_args(arguments)
    if bool(args.base) == args.staged:
        parser.error("found neither BASE nor --staged, or both; wanted one")
    try:
        found = touched(differing([args.base, args.head] if args.base else []), editions())
    except (ValueError, OSError) as error:
        tell(f"changed.py: {error}")
        return 2
    there = [path for path in found if Path(path).is_dir()]
    print("".join(f"{path}\0" if args.null else f"{printable(path)}\n" for path in there), end="")
    for path in found:
        if path not in there:
            tell(f"{path}: the submission was removed")
    return 0 if there == found else 1


def differing(revisions: Sequence[str]) -> list[str]:
    """Return the paths of the files that differ between two commits, or that are staged if none are given. Raises
    ValueError for what is no commit, and with git's message if git fails."""
    for revision in revisions:
        if revision.startswith("-"):  # an option, with which git could write a file
            raise ValueError(f"found {revision}, wanted a commit")
    command = ["git", "diff", "--no-renames", "--no-ext-diff", "--name-only", "-z"]
    command += [*(revisions or ["--cached"]), "--", RESULTS]
    done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape")
    if done.returncode:
        raise ValueError(f"git: {done.stderr.strip()}")
    return [path for path in done.stdout.split("\0") if path]


def touched(files: Iterable[str], known: Sequence[str]) -> list[str]:
    """Return the submissions to which `files` belong, and the rounds of the files in no submission, each once.

    A round is the outermost folder below results/ with the name of an edition. Other files are ignored.
    """
    found = set()
    for path in files:
        folders = path.split("/")[:-1]
        at = next((i for i, name in enumerate(folders) if name in known), None)
        if at is not None and folders[0] == RESULTS:
            found.add("/".join(folders[: at + 2]))
    return sorted(found)


if __name__ == "__main__":
    sys.exit(main())
