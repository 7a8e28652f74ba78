"""What holds the whole together: who imports whom, what is installed, what the README says is there."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("benchmark", "rules", "compliance", "results", "implementations")
MAY_IMPORT = {
    "benchmark": {"benchmark"},
    "rules": {"benchmark", "rules"},
    "compliance": {"benchmark", "rules", "compliance"},
    "results": {"benchmark", "rules", "compliance", "results"},
    "implementations": {"benchmark", "rules", "implementations"},
}


def modules(package: str) -> list[Path]:
    """The Python files of a package, submissions left out."""
    return [p for p in sorted((ROOT / package).rglob("*.py")) if not re.match(r"results/v", str(p.relative_to(ROOT)))]


def imported(path: Path) -> set[str]:
    """The top-level names that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or ".").partition(".")[0])
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package):
    wrong = {str(p.relative_to(ROOT)): imported(p) & set(PACKAGES) - MAY_IMPORT[package] for p in modules(package)}
    assert not {path: names for path, names in wrong.items() if names}


@pytest.mark.parametrize("package", ["benchmark", "rules", "compliance", "results"])
def test_only_implementations_import_torch(package):
    assert not [str(p) for p in modules(package) if "torch" in imported(p)]


@pytest.mark.parametrize(
    "path", [p for name in PACKAGES for p in modules(name)], ids=lambda p: str(p.relative_to(ROOT))
)
def test_scripts_find_their_siblings_as_modules_do(path):
    text = path.read_text(encoding="utf-8")
    if "__main__" not in text or path.name == "__main__.py":
        return
    depth = len(path.relative_to(ROOT).parts) - 1
    assert "if not __package__:" in text
    assert f"sys.path[0] = str(Path(__file__).resolve().parents[{depth}])" in text


def test_the_judge_needs_yaml_and_numpy_alone():
    allowed = {"yaml", "numpy", "benchmark", "rules", "compliance"} | set(sys.stdlib_module_names)
    assert not {str(p): imported(p) - allowed for p in modules("compliance") if imported(p) - allowed}


def test_pins_are_in_step():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {d.lower() for d in project["project"]["dependencies"] + project["dependency-groups"]["dev"]}
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").lower().splitlines()
    locked = {line for line in lines if line and not line.startswith("#")}
    torch = next(d for d in wanted if d.startswith("torch=="))
    assert wanted - {torch} <= locked
    assert all("==" in line for line in locked)
    assert torch in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_readme_names_every_module():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    known = [p for p in listed if not p.startswith(("results/v", "tests/")) and not p.endswith("__init__.py")]
    missing = [p for p in known if not re.search(rf"^ *{re.escape(Path(p).name)}\s", readme, re.MULTILINE)]
    assert not missing


def test_no_package_hides_behind_tests():
    assert not list((ROOT / "tests").rglob("__init__.py"))


def test_our_own_submission_is_in_order():
    done = subprocess.run([sys.executable, "compliance/check.py", "results/"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing found" in done.stdout
