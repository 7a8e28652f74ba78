"""What files of the repository import."""

import ast
from functools import cache
from pathlib import Path

from tests.support import ROOT


@cache
def statements(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """The statements of a file that import, anywhere in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def imports(path: Path, relative: bool = True) -> set[str]:
    """The modules that a file imports, anywhere in it, and names that it imports from them, with dots. Relative ones
    have the names of their packages, or are left out."""
    package = path.relative_to(ROOT).parts[:-1] if relative else ()
    found: set[str] = set()
    for node in statements(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif relative or not node.level:
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


def tops(path: Path) -> set[str]:
    """The top-level names that a file imports, but for relative imports."""
    return {name.partition(".")[0] for name in imports(path, relative=False)}
