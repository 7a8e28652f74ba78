"""The harness knows implementations by their command line alone."""

import ast
from pathlib import Path

import pytest

HARNESS = Path(__file__).resolve().parents[2] / "harness"
ALLOWED = {"benchmark", "rules", "harness"}
OURS = {path.name for path in HARNESS.parent.iterdir() if (path / "__init__.py").exists()}


def imported(path: Path) -> set[str]:
    """The top names that a file imports, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level
            found.add(str(node.module).partition(".")[0])
    return found


@pytest.mark.parametrize("path", sorted(HARNESS.rglob("*.py")), ids=lambda path: str(path.relative_to(HARNESS)))
def test_no_implementation_and_no_framework(path):
    assert imported(path) & OURS <= ALLOWED and not imported(path) & {"torch", "jax", "tensorflow"}
