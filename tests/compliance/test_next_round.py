"""A round of a new edition is judged by it, and nothing else is edited."""

from compliance.engine import judge
from rules import new
from tests.compliance.editions import law as make_law


def test_a_submission_is_judged_by_the_numbers_of_its_edition(tree, tmp_path):
    law = make_law(tmp_path / "next")  # this test's own: it makes another one
    path = new.make("v9.1", "v1.0", law)
    path.write_text(path.read_text() + "benchmarks: {scaffold: {runs: 6}}\n")

    def found(place):
        return [(f.path.rpartition("/")[2], f.code) for f in judge([place], rules=law).findings]

    assert found(tree.root) == []
    home = tree.root.parent.parent / "v9.1" / "acme"
    home.parent.mkdir()
    tree.root.rename(home)
    files = sorted(home.rglob("result_*.txt"))
    # Six runs need points of twelve, and there are ten.
    wanted = [("result_0.txt", "RUN22"), ("scaffold", "RUN01")]
    assert sorted(set(found(home))) == sorted([*((file.name, "LOG11") for file in files), *wanted])  # the old name
    for file in files:
        file.write_text(
            file.read_text().replace('"rules_edition", "value": "v1.0"', '"rules_edition", "value": "v9.1"')
        )
    assert sorted(found(home)) == wanted
