"""How implementations import: themselves relatively, without circles, and no more than they may."""

import ast
import re
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.imports import imports

PACKAGES = sorted(path for path in (ROOT / "implementations").iterdir() if (path / "__init__.py").exists())
FOLDERS = [path for path in PACKAGES if (path / "train.py").exists()]
TOOLS = [path for path in PACKAGES if path not in FOLDERS]
OURS = {path.parent.name for path in ROOT.glob("*/__init__.py")}


def ours(path: Path) -> set[str]:
    """The packages of this repository that a file imports absolutely; of implementations, which."""
    parts = [name.split(".") for name in imports(path, relative=False)]
    return {".".join(p[:2]) if p[0] == "implementations" else p[0] for p in parts if p[0] in OURS}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_an_implementation_imports_benchmark_and_rules_alone(folder):
    """So that a copy under any name runs itself."""
    for path in folder.rglob("*.py"):
        assert ours(path) <= {"benchmark", "rules"}, path
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"implementations\.\w", node.value), (path, node.lineno)


@pytest.mark.parametrize("folder", TOOLS, ids=lambda path: path.name)
def test_tools_import_the_implementation_they_are_named_for(folder):
    implementation = f"implementations.{folder.name.removesuffix('_tools')}"
    allowed = {"benchmark", "harness", "rules", f"implementations.{folder.name}", implementation}
    found = {path: ours(path) for path in folder.rglob("*.py")}
    assert not {path: names - allowed for path, names in found.items() if names - allowed}
    assert any(implementation in names for names in found.values())
