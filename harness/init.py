"""Begin an implementation of your own: a copy of another one that runs itself.

    python harness/init.py acme
    python harness/init.py bolt --from acme

The copy is implementations/acme/. Its README.md asks the questions that a submission has to answer, and submit.py
copies the fields of its systems/template.json into system descriptions. Nothing is overwritten, and no packages are
needed. Exit codes: 0 done, 2 not done.
"""

import argparse
import importlib.util
import keyword
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.run.errors import reason
from benchmark.writing import copy_tree, write_text

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TEMPLATES = HERE / "templates"  # what a copy gets beside the code: README.md and systems/
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
BUILT = ("__pycache__", "build", ".*", "*.py[co]", "*.so", "*.o", "*.a", "*.egg-info", "*.partial", "*~")
MOVED = b'"""Moved: '  # the beginning of a file that says what to type in place of an old command


def refused(name: str, original: Path) -> str:
    """Return why a copy of an implementation cannot have that name; "" if it can."""
    if not NAME.fullmatch(name):
        return "letters, digits, _ and -, a letter first"
    folder, root = original.parent, original.parents[1]
    if name.casefold() in {path.name.casefold() for path in folder.iterdir()}:
        return f"another name: {folder / name} is there, and nothing is overwritten"
    ours = {path.name for path in root.iterdir() if path.is_dir()} | {path.stem for path in original.iterdir()}
    if name.casefold() in {used.casefold() for used in (*ours, "reference")}:
        return "another name: the project uses it"
    known = name in sys.stdlib_module_names or importlib.util.find_spec(name)
    if keyword.iskeyword(name) or keyword.issoftkeyword(name) or known:
        return "another name: Python or a package uses it"
    return ""


def copy(name: str, original: Path) -> Path:
    """Copy the folder of an implementation without the files that running and building it left there. Return the copy,
    which gets its name when it is complete. Raises ValueError for a name that it cannot have, or for no implementation,
    and OSError."""
    if not (original / "train.py").is_file():
        raise ValueError(f"--from: found no {original / 'train.py'}, wanted the folder of an implementation")
    if why := refused(name, original):
        raise ValueError(f"found the name {name!r:.80}, wanted {why}")
    with tempfile.TemporaryDirectory(prefix=".init-", dir=original.parent) as scratch:
        made = Path(scratch) / name
        copy_tree(original, made, left_out)
        for path in (path for path in TEMPLATES.rglob("*") if path.is_file()):
            place = made / path.relative_to(TEMPLATES)
            text = path.read_text(encoding="utf-8").replace("ORIGINAL", original.name).replace("NAME", name)
            write_text(place, text)
        for folder in [path for path in made.rglob("*") if path.is_dir() and not any(path.iterdir())]:
            folder.rmdir()
        return made.rename(original.parent / name)


def left_out(folder: str, names: list[str]) -> set[str]:
    """Return the names that are not copied: products of running and building, links, the original's systems, and files
    that stand for commands of old."""
    paths = [Path(folder) / name for name in names]
    own = set(names) if Path(folder).name == "systems" else set()
    moved = {path.name for path in paths if path.suffix == ".py" and path.read_bytes().startswith(MOVED)}
    return shutil.ignore_patterns(*BUILT)(folder, names) | {p.name for p in paths if p.is_symlink()} | own | moved


def main(arguments: Sequence[str] | None = None) -> int:
    """Copy the folder and print the next steps. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the implementation: a folder name, such as your organisation's")
    parser.add_argument("--from", dest="original", default="pytorch", metavar="NAME", help="default: pytorch")
    args = parser.parse_args(arguments)
    try:
        if Path(args.original) != Path(Path(args.original).name):
            raise ValueError(f"--from: found {args.original}, wanted the name of a folder of implementations/")
        folder = copy(args.name, ROOT / "implementations" / args.original)
    except (ValueError, OSError) as error:
        print(f"init.py: {reason(error)}", file=sys.stderr)
        return 2
    print(f"{folder.relative_to(ROOT)}: a copy of implementations/{args.original} that runs itself")
    print(f"fill in {args.name}'s README.md, and in systems/template.json what no program sees of your systems")
    command = f"python harness/submit.py --implementation {args.name}"
    print(f"next: {command} --problem smoke --org ORG --system SYSTEM --check")
    return 0


if __name__ == "__main__":
    sys.exit(main())
