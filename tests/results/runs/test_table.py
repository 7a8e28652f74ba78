"""The sets of a verdict, and their rows."""

from compliance.engine import judge
from results.runs.table import named_sets


def test_sets_of_equal_names_are_told_apart(tree, new_log):
    a = tree.set([new_log.scaffold()])
    other = type(tree)(tree.root / "again")
    b = other.set([new_log.scaffold()])
    names = [name for name, _ in named_sets(judge([tree.root / "v1.0", other.root]))]
    assert names == ["v1.0/acme/box/strong/scaffold", "v1.0/acme/box/strong/scaffold (2)"]
    twice = named_sets(judge([a, tree.root / "v1.0", b]))
    assert [bool(runs.submission) for _, runs in twice] == [False, True]  # one of a submission is taken as such
