"""The driver that changes modules one place at a time, and counts which changes their tests notice."""

import ast
import importlib
from importlib.machinery import SourceFileLoader

import pytest
import yaml

from tests import mutants
from tests.mutating import around
from tests.support import ROOT


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("a < b", {"a <= b"}),
        ("a < b < c", {"a <= b < c", "a < b <= c"}),
        ("a and b", {"a or b"}),
        ("not a", {"not not a"}),
        ("a // b + c", {"a // b - c", "a * b + c"}),
        ("f(-a)", {"f(+a)"}),
        ("f(7, k=True)", {"f(8, k=True)", "f(6, k=True)", "f(7, k=False)"}),
        ("a if b else c", {"c if b else a"}),
        ("MOST = 1 << 20", set()),  # a test could only repeat it
        ("x: Literal[3] = a", set()),  # an annotation is not evaluated
        ("f('3', a)", set()),
        ("zip(a, b, strict=True)", set()),  # only a mistake in the module itself would show
    ],
)
def test_each_operator_and_number_is_changed_alone(source, wanted):
    tree = ast.parse(source)
    found = [mutants.mutant("m.py", tree, *place) for place in mutants.places(tree)]
    assert {ast.unparse(mutant.tree) for mutant in found} == wanted and len(found) == len(wanted)
    assert all((m.before, m.line) == (source, 1) and m.after in wanted for m in found)
    assert ast.unparse(tree) == source


def test_a_package_is_changed_where_it_is_imported(tmp_path, monkeypatch):
    (tmp_path / "pkg_of_two").mkdir()
    (tmp_path / "pkg_of_two" / "__init__.py").write_text("from pkg_of_two.two import TWO\nmost = TWO + 1\n")
    (tmp_path / "pkg_of_two" / "two.py").write_text("TWO = 2\n")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    path = "pkg_of_two/__init__.py"
    tree = ast.parse((tmp_path / path).read_text())
    (change,) = (m for place in mutants.places(tree) if (m := mutants.mutant(path, tree, *place)).after.endswith("- 1"))
    monkeypatch.setattr(SourceFileLoader, "get_code", mutants.instead(change))
    assert importlib.import_module("pkg_of_two").most == 1


def test_a_loop_goes_on_where_it_ended():
    tree = ast.parse("for x in y:\n    break")
    (found,) = (mutants.mutant("m.py", tree, *place) for place in mutants.places(tree))
    assert (found.line, found.before, found.after) == (2, "break", "continue")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "killed"),
    [("over(5) and not over(1)", 0), ("over(5) and not over(3)", 2), ("over(4) and not over(3)", 3)],
)
def test_a_limit_tested_from_both_sides_lets_no_mutant_live(tmp_path, monkeypatch, capsys, shown, killed):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "limit.py").write_text("def over(x):\n    return x > 3\n")
    (tmp_path / "tests" / "pkg").mkdir(parents=True)
    test = tmp_path / "tests" / "pkg" / "test_limit.py"
    test.write_text(f"from pkg.limit import over\n\n\ndef test_over():\n    assert {shown}\n")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / mutants.KNOWN).write_text("")
    assert mutants.run("pkg/limit.py", None, 1) == mutants.Row("pkg/limit.py", 3, 3 - killed, 0)
    said = capsys.readouterr().out
    assert said.startswith(f"pkg/limit.py: {killed} of 3 killed")
    entries = yaml.safe_load(said.partition("\n")[2]) or []
    assert [(e["in"], e["before"]) for e in entries] == (3 - killed) * [("over", "return x > 3")]
    (tmp_path / mutants.KNOWN).write_text(yaml.dump({"pkg/limit.py": [{**e, "why": "so"} for e in entries]}))
    assert mutants.run("pkg/limit.py", None, 1) == mutants.Row("pkg/limit.py", 3, 3 - killed, 3 - killed)
    assert capsys.readouterr().out == f"pkg/limit.py: {killed} of 3 killed\n"  # the others have a reason
    test.write_text("from pkg.limit import over\n\n\ndef test_over():\n    assert over(4) and not over(3)\n")
    assert mutants.run("pkg/limit.py", None, 1) == mutants.Row("pkg/limit.py", 3, 0, 0)
    assert capsys.readouterr().out.count("did not survive: ('over', 'return x > 3', ") == 3 - killed
    test.write_text("def test_over():\n    from pkg.limit import over\n\n    assert over(4) and not over(3)\n")
    assert mutants.run("pkg/limit.py", None, 1) == mutants.Row("pkg/limit.py", 3, 0, 0)
    test.write_text("assert False")
    with pytest.raises(ValueError, match=r"pkg/limit\.py: found tests that fail without a change"):
        mutants.run("pkg/limit.py", None, 1)


@pytest.mark.slow
def test_every_known_survivor_has_a_reason_and_is_there_still():
    """Quick: whether it survives still is for `make mutants`. Only the functions that entries name are changed."""
    for path, entries in yaml.safe_load((ROOT / mutants.KNOWN).read_text(encoding="utf-8")).items():
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        nodes, named = list(ast.walk(tree)), {entry["in"] for entry in entries}
        parents = {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}
        wanted = [p for p in mutants.places(tree) if around(nodes[p[0]], parents) in named]
        found = {(m.inside, m.before, m.after) for p in wanted for m in [mutants.mutant(path, tree, *p)]}
        for entry in entries:
            assert set(entry) == {"in", "before", "after", "why"} and entry["why"].strip(), (path, entry)
            assert (entry["in"], entry["before"], entry["after"]) in found, (path, entry)


def test_modules_of_the_list_have_tests():
    for name in mutants.MODULES:
        assert mutants.files([name]), name
    with pytest.raises(ValueError, match=r"nowhere\.py: found no such file or folder"):
        mutants.files(["nowhere.py"])
    with pytest.raises(ValueError, match=r"benchmark/__init__\.py: found no tests of its own"):
        mutants.files(["benchmark/__init__.py"])
    assert mutants.tests_of("compliance/engine/__init__.py") == list(mutants.MORE["compliance/engine"])
