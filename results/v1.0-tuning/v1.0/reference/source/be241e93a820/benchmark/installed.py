"""End a script in one line, with exit code 2, where a package is not installed, where Python finds another module in
place of one of the project's, or where the folder of an implementation has a dot in its name.

A script imports this module before the project's others. Importing it is all that it takes.
"""

import importlib.util
import os
import shlex
import sys
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("benchmark", "rules", "compliance", "results", "harness", "implementations")


def advice(module: str, environment: Path, arguments: list[str]) -> str:
    """Return what to type where `module` is not installed: the same command with the Python of the project's
    environment, which `make setup` makes first if it is absent. `arguments` are those of the Python that runs."""
    python = environment / "bin" / "python"
    again = shlex.join([os.path.relpath(python), *arguments])
    make = "" if python.exists() else f"make -C {shlex.quote(os.path.relpath(environment.parent))} setup && "
    return f"found no module {module!r}, wanted the project's environment: {make}{again}"


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the advice for a missing package (an excepthook). Any other error is printed as Python does."""
    module = getattr(error, "name", None)
    if not isinstance(error, ModuleNotFoundError) or not module or (ROOT / module.partition(".")[0]).is_dir():
        sys.__excepthook__(kind, error, trace)
        return
    give_up(advice(module, ROOT / ".venv", sys.orig_argv[1:]))


def give_up(words: str) -> None:
    """Print why the script ends, and end it with exit code 2."""
    print(f"{Path(sys.argv[0]).name}: {words}", file=sys.stderr)
    sys.exit(2)


def foreign(root: Path = ROOT) -> str:
    """Return what Python finds in place of one of this clone's packages; "" where it finds the clone's. `python -m` in
    a folder with a module of the same name is how that happens."""
    for name in PACKAGES:
        spec = importlib.util.find_spec(name) if (root / name / "__init__.py").is_file() else None
        places = [spec.origin] if spec and spec.origin else list(spec.submodule_search_locations or ()) if spec else []
        for place in places:
            if not Path(place).resolve().is_relative_to(root):
                return f"found {place} as the module {name!r}, wanted {root / name}: start in another folder"
    return ""


def dotted(root: Path = ROOT) -> str:
    """Return what is wrong with the folder of the implementation whose script runs; "" where nothing is. Python takes a
    dot in a module's name for a folder, so that relative imports would fail."""
    script = Path(getattr(sys.modules["__main__"], "__file__", None) or root).resolve()
    folders = script.relative_to(root).parts if script.is_relative_to(root) else ()
    if folders[:1] != ("implementations",) or "." not in folders[1] or len(folders) < 3:
        return ""
    return f"found {'.'.join(folders[:2])!r}, wanted a folder without a dot in its name"


sys.excepthook = tell
if wrong := dotted() or foreign():
    give_up(wrong)
