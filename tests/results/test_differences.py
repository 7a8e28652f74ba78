"""What a comparison shows of sets of runs."""

import pytest

from results.differences import different, settings, sides


@pytest.fixture
def compared(tree, new_log):
    """A and B: B with other settings, and twice as slow."""
    tree.set([new_log.scaffold(50 + i, epochs=5, seed=900 + i) for i in range(5)], org="a")
    tree.set([new_log.scaffold(100 + i, epochs=5, seed=904 + i, global_batch_size=16) for i in range(5)], org="b")
    return sides(tree.results())


def test_settings_that_differ(compared):
    rows = dict(different([settings(side.runs) for side in compared]))
    assert rows["global_batch_size"] == ["8", "16"] and "seed" not in rows


def test_settings_that_vary_within_a_set_are_all_shown(new_log, read):
    runs = [read(new_log.scaffold(precision=p, hyperparameters={"rate": 1})) for p in ("float32", "bfloat16")]
    found = settings(runs)
    assert found["precision"] == "float32, in other runs bfloat16" and found["hyperparameters.rate"] == "1"


def test_what_is_written_differently_is_no_difference():
    said = [
        {"opt": "SGD", "nodes": "2", "rate": "2.0", "x": "NaN"},
        {"opt": "sgd ", "nodes": "2.0", "rate": "2", "x": "nan"},
    ]
    assert different(said) == []
    assert different([{"rate": "2.0"}, {"rate": "2.01"}]) == [("rate", ["2.0", "2.01"])]
    assert different([{"rate": "2"}, {}]) == [("rate", ["2", "-"])]
