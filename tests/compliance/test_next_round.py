"""A round of a new edition is judged by it, and nothing else is edited."""

import pytest

from compliance.engine import judge
from rules import new
from rules.edition import load


@pytest.fixture
def law(logs, tmp_path):
    """Editions of this test's own: it makes another one."""
    return logs.law(tmp_path / "next")


@pytest.fixture
def found(law):
    def look(path, edition=None):
        findings = judge([str(path)], edition, rules=law).findings
        return [(f.path.rpartition("/")[2], f.code) for f in findings]

    return look


def test_a_submission_of_a_new_edition(law, tree, found):
    new.make("v9.1", "v1.0", law)
    assert found(tree.root) == []
    home = tree.root.parent.parent / "v9.1" / "acme"
    home.parent.mkdir()
    tree.root.rename(home)
    logs = sorted(home.rglob("result_*.txt"))
    assert sorted(set(found(home))) == [(log.name, "LOG11") for log in logs]  # they name the old one
    for log in logs:
        log.write_text(log.read_text().replace('"rules_edition", "value": "v1.0"', '"rules_edition", "value": "v9.1"'))
    assert found(home) == []


def test_its_numbers_are_its_own(law, tree, found):
    path = new.make("v9.1", "v1.0", law)
    path.write_text(path.read_text() + "benchmarks: {scaffold: {runs: 6}}\n")
    assert load("v9.1", law).benchmarks["scaffold"].runs == 6 and found(tree.root) == []
    codes = {code for _, code in found(tree.root, edition="v9.1")}
    assert codes == {"LOG11", "RUN01"}
