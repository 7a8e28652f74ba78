"""How implementations import: themselves relatively, without circles, and no more than they may."""

import ast
import graphlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(path for path in (ROOT / "implementations").iterdir() if (path / "__init__.py").exists())


def modules(folder: Path) -> dict[str, Path]:
    """The modules of a folder by dotted name, relative to it; "" is the folder's own."""
    names = {path: path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py")}
    return {".".join(part for part in parts if part != "__init__"): path for path, parts in names.items()}


def imports(path: Path, folder: Path, known: set[str]) -> set[str]:
    """The modules of the folder that a file imports, wherever the import stands (behind TYPE_CHECKING too)."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = path.relative_to(folder).parts[: -node.level]
            base = ".".join((*package, *(node.module.split(".") if node.module else ())))
            submodules = {f"{base}.{alias.name}".strip(".") for alias in node.names} & known
            found |= submodules or {base}
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_no_circles(folder):
    known = modules(folder)
    graph = {name: imports(path, folder, set(known)) for name, path in known.items()}
    assert sum(map(len, graph.values())) > 20
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_an_implementation_names_no_implementation_and_nothing_beyond_benchmark_and_rules(folder):
    allowed = {"benchmark", "rules"}
    ours = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert {"benchmark", "implementations", "perf", "rules"} <= ours
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            tops = {name.partition(".")[0] for name in names} & ours
            assert tops <= allowed, (path, tops)
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"implementations\.\w", node.value), (path, node.lineno)
