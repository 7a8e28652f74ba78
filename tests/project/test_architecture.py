"""docs/architecture.md: the names that it gives are defined in the files that it links to; its figure is the code's."""

import ast
import re
from pathlib import Path

import pytest

from perf.imports import PACKAGES, figure, folders, imports

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
NAMED = re.compile(r"\[`([\w.]+)`\]\(([^)#]+\.py)\)")


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


def test_the_figure_is_the_codes_and_goes_down():
    found, order = imports(), list(PACKAGES)
    drawn = (ROOT / "docs" / "figures" / "imports.svg").read_text(encoding="utf-8")
    assert drawn == figure(found), "python perf/imports.py draws it anew"
    assert all(order.index(package) < order.index(name) for package, names in found.items() for name in names)
    assert found["compliance"] == {"benchmark", "rules"} and "families" in folders("compliance")
    assert figure(found) != figure({**found, "benchmark": {"rules"}})
