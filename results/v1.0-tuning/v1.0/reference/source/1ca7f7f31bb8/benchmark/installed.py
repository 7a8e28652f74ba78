"""What a script says where a package that it needs is not installed: one line, with what to type. Exit code 2.

A script imports this module before others of the project. It has no other use.
"""

import os
import shlex
import sys
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[1]


def advice(module: str, environment: Path, arguments: list[str]) -> str:
    """What to type where `module` is not installed: the project's environment, or first its making. `arguments` are
    those of the Python that runs."""
    python = environment / "bin" / "python"
    again = shlex.join([os.path.relpath(python), *arguments])
    make = "" if python.exists() else f"make -C {shlex.quote(os.path.relpath(environment.parent))} setup && "
    return f"found no module {module!r}, wanted the project's environment: {make}{again}"


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say it of a module that is not there, and nothing else of ours: what Python says of other errors."""
    module = getattr(error, "name", None)
    if not isinstance(error, ModuleNotFoundError) or not module or (ROOT / module.partition(".")[0]).is_dir():
        sys.__excepthook__(kind, error, trace)
        return
    script = Path(sys.argv[0]).name
    print(f"{script}: {advice(module, ROOT / '.venv', sys.orig_argv[1:])}", file=sys.stderr)
    sys.exit(2)


sys.excepthook = tell
