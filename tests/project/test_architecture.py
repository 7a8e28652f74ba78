"""docs/architecture.md: the names that it gives are defined in the files that it links to; its table is the code's."""

import ast
import re
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.imports import imports

PAGE = ROOT / "docs" / "architecture.md"
NAMED = re.compile(r"\[`([\w.]+)`\]\(([^)#]+\.py)\)")
ROW = re.compile(r"^\| `([\w/]+)/` \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)


def defined(path: Path) -> set[str]:
    """The functions and classes of a module, and methods as Class.method."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return names


def missing(text: str) -> list[str]:
    """The names of a page that the linked files do not define. A file may go by its own name."""
    found = [(name, PAGE.parent / link) for name, link in NAMED.findall(text)]
    assert len(found) == text.count("](../") - len(re.findall(r"\[[^`\]]+\]\(\.\./", text))
    return [f"{p.name}: {name}" for name, p in found if name != p.name and (not p.is_file() or name not in defined(p))]


def test_the_walks_name_what_there_is():
    text = PAGE.read_text(encoding="utf-8")
    assert len(NAMED.findall(text)) > 50 and not missing(text)


@pytest.mark.parametrize("wrong", ["[`prepares`](../compliance/check.py)", "[`main`](../compliance/chek.py)"])
def test_a_name_that_is_gone_is_seen(wrong):
    assert missing(wrong)


def test_every_rule_of_the_walks_is_in_force():
    codes = set(re.findall(r"\b[A-Z]{3,4}\d\d\b", PAGE.read_text(encoding="utf-8")))
    texts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules" / "texts").glob("*.md"))
    assert len(codes) > 7 and not [code for code in codes if f"## {code} " not in texts]


def test_the_table_has_the_imports_of_the_code_and_they_go_down():
    table = {name: re.findall(r"`([\w/]+)`", names) for name, names in ROW.findall(PAGE.read_text(encoding="utf-8"))}
    order = list(table)
    for package in order:
        files = [path for path in (ROOT / package).rglob("*.py") if not re.search(r"/results/v\d", path.as_posix())]
        names = [name.split(".") for path in files for name in imports(path, relative=False)]
        found = {"/".join(name[:n]) for name in names for n in (1, 2)} & set(order) - {package}
        assert table[package] == sorted(found, key=order.index), f"docs/architecture.md: {package}"
        assert all(order.index(package) < order.index(name) for name in found)
    assert len(order) == 8 and table["compliance"] == table["harness"] == ["rules", "benchmark"]
