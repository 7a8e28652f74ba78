"""The table of runs."""

import pytest

from compliance.engine import judge
from results.runs.columns import COLUMNS
from results.runs.table import load, named_sets


def test_load_is_a_data_frame(tree, new_log):
    tree.set([new_log.scaffold(50.0 + i, seed=900 + i) for i in range(5)])
    frame = load([tree.root])
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 5
    parts = frame.staging_ms + frame.training_ms + frame.evaluation_ms + frame.rest_ms
    assert (parts == frame.total_ms).all()
    assert frame.seed.tolist() == ["900", "901", "902", "903", "904"]
    assert frame.seconds.dtype == "float64" and frame.converged.all()
    with pytest.raises(ValueError, match="nowhere"):
        load([tree.root, tree.root / "nowhere"])


def test_sets_of_equal_names_are_told_apart(tree, new_log):
    a = tree.set([new_log.scaffold()])
    other = type(tree)(tree.root / "again")
    b = other.set([new_log.scaffold()])
    names = [name for name, _ in named_sets(judge([tree.root / "v1.0", other.root]))]
    assert names == ["v1.0/acme/box/strong/scaffold", "v1.0/acme/box/strong/scaffold (2)"]
    twice = named_sets(judge([a, tree.root / "v1.0", b]))
    assert [bool(runs.submission) for _, runs in twice] == [False, True]  # one of a submission is taken as such
