"""Begin an implementation of your own: a copy of this folder that runs itself.

    python implementations/pytorch/init.py acme

The copy is implementations/acme/. Its README.md asks the questions that a submission has to answer. submit.py copies
the fields of its systems/template.json into system descriptions. Nothing is overwritten, and no packages are needed.
Exit codes: 0 done, 2 not done.
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

if not __package__:  # run as a file: look for modules where `python -m` would, as part of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    __package__ = f"implementations.{Path(__file__).resolve().parent.name}"

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TEMPLATES = "submitting/templates"  # what a copy gets beside the code: README.md and systems/
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
LEFT = ("__pycache__", "build", ".*", "*.py[co]", "*.so", "*.o", "*.a", "*.egg-info", "*.partial", "*~")
HEADING = "NAME"  # placeholder for the implementation's name in templates


def refused(name: str, root: Path) -> str:
    """Return why an implementation cannot have that name; "" if it can."""
    if not NAME.fullmatch(name):
        return "letters, digits, _ and -, a letter first"
    folder = root / "implementations"
    taken = {path.name.casefold() for path in folder.iterdir()} if folder.is_dir() else set()
    if name.casefold() in taken:
        return f"another name: {folder / name} is there, and nothing is overwritten"
    ours = {path.name.casefold() for path in root.iterdir() if path.is_dir()}
    if name.casefold() in ours | {path.stem.casefold() for path in HERE.iterdir()} or name.casefold() == "reference":
        return "another name: the project uses it"
    known = name in sys.stdlib_module_names or importlib.util.find_spec(name)
    if keyword.iskeyword(name) or keyword.issoftkeyword(name) or known:
        return "another name: Python or a package uses it"
    return ""


def copy(name: str, root: Path = ROOT) -> Path:
    """Copy this folder without the files that running and building it left there. Return the copy, which gets its name
    when it is complete. Raises ValueError for a name that it cannot have, and OSError."""
    if why := refused(name, root):
        raise ValueError(f"found the name {name!r:.80}, wanted {why}")
    folder = root / "implementations"
    with tempfile.TemporaryDirectory(prefix=".init-", dir=folder) as scratch:
        made = Path(shutil.copytree(HERE, Path(scratch) / name, symlinks=True, ignore=left_out))
        templates = HERE / TEMPLATES
        for path in templates.rglob("*"):
            if path.is_file():
                place = made / path.relative_to(templates)
                place.parent.mkdir(exist_ok=True)
                text = path.read_text(encoding="utf-8").replace(HEADING, name)
                place.write_text(text.replace("ORIGINAL", HERE.name), encoding="utf-8")
        return made.rename(folder / name)


def left_out(folder: str, names: list[str]) -> set[str]:
    """Return the names that are not copied: products of running and building, links, and the original's systems."""
    own = set(names) if Path(folder) == HERE / "systems" else set()
    return shutil.ignore_patterns(*LEFT)(folder, names) | {n for n in names if (Path(folder) / n).is_symlink()} | own


def main(arguments: Sequence[str] | None = None) -> int:
    """Copy the folder and print the next steps. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the implementation: a folder name, such as your organisation's")
    name = parser.parse_args(arguments).name
    try:
        folder = copy(name)
    except (ValueError, OSError) as error:
        told = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.strerror else error
        print(f"init.py: {told}", file=sys.stderr)
        return 2
    print(f"{folder.relative_to(ROOT)}: a copy of {HERE.relative_to(ROOT)} that runs itself")
    print(f"fill in {name}'s README.md, and in systems/template.json what no program sees of your systems")
    print(f"next: python implementations/{name}/submit.py --problem smoke --org ORG --system SYSTEM --check")
    return 0


if __name__ == "__main__":
    sys.exit(main())
