"""The driver that changes modules one place at a time, and counts which changes their tests notice."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def mutants(monkeypatch):
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "tests" / "mutants.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.syspath_prepend(ROOT / "tests")  # as where it runs as a program
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("a < b", {"a <= b"}),
        ("a < b < c", {"a <= b < c", "a < b <= c"}),
        ("a == b", {"a != b"}),
        ("a not in b", {"a in b"}),
        ("a and b", {"a or b"}),
        ("not a", {"not not a"}),
        ("a // b + c", {"a // b - c", "a * b + c"}),
        ("a += b", {"a -= b"}),
        ("f(-a)", {"f(+a)"}),
        ("f(7, k=True)", {"f(8, k=True)", "f(6, k=True)", "f(7, k=False)"}),
        ("a if b else c", {"c if b else a"}),
        ("x: Literal[3] = a", set()),  # an annotation is not evaluated
        ("f('3', a)", set()),
    ],
)
def test_each_operator_and_number_is_changed_alone(mutants, source, wanted):
    tree = ast.parse(source)
    found = [mutants.mutant("m.py", tree, *place) for place in mutants.places(tree)]
    assert {ast.unparse(mutant.tree) for mutant in found} == wanted and len(found) == len(wanted)
    assert all((m.before, m.line) == (source, 1) and m.after in wanted for m in found)
    assert ast.unparse(tree) == source


def test_a_loop_goes_on_where_it_ended(mutants):
    tree = ast.parse("for x in y:\n    break")
    (found,) = (mutants.mutant("m.py", tree, *place) for place in mutants.places(tree))
    assert (found.line, found.before, found.after) == (2, "break", "continue")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "killed"),
    [("over(5) and not over(1)", 0), ("over(5) and not over(3)", 2), ("over(4) and not over(3)", 3)],
)
def test_a_limit_that_is_tested_from_both_sides_lets_no_mutant_live(mutants, tmp_path, monkeypatch, shown, killed):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "limit.py").write_text("def over(x):\n    return x > 3\n")
    (tmp_path / "tests" / "pkg").mkdir(parents=True)
    test = tmp_path / "tests" / "pkg" / "test_limit.py"
    test.write_text(f"from pkg.limit import over\n\n\ndef test_over():\n    assert {shown}\n")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    said = []
    assert mutants.run("pkg/limit.py", None, 1, said.append) == ("pkg/limit.py", 3, killed, 3 - killed)
    assert said[0].startswith(f"pkg/limit.py: {killed} of 3 killed")
    assert said[0].count("pkg/limit.py:2\n    - return x > 3\n") == 3 - killed
    test.write_text("assert False")
    with pytest.raises(ValueError, match=r"pkg/limit\.py: found tests that fail without a change"):
        mutants.run("pkg/limit.py", None, 1, said.append)


def test_the_table_counts(mutants):
    assert mutants.table([("a.py", 3, 2, 1), ("b.py", 5, 5, 0)]).splitlines()[2:] == [
        "| `a.py` | 3 | 2 | 1 |",
        "| `b.py` | 5 | 5 | 0 |",
        "| all: 87.5 % killed | 8 | 7 | 1 |",
    ]


def test_modules_of_the_list_have_tests(mutants):
    for name in mutants.MODULES:
        assert mutants.files([name]), name
    with pytest.raises(ValueError, match=r"nowhere\.py: found no such file or folder"):
        mutants.files(["nowhere.py"])
