import pytest

from rules.patch import patched

BASE = {"runs": 5, "clock": {"gap": 1.0, "init": 1800}, "codes": [1, 2]}


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({"more": {"a": 1}}, {**BASE, "more": {"a": 1}}),
        ({"clock": {"gap": 2.0}}, {**BASE, "clock": {"gap": 2.0, "init": 1800}}),
        ({"clock": {"gap": None}}, {**BASE, "clock": {"init": 1800}}),
        ({"clock": None}, {"runs": 5, "codes": [1, 2]}),
        ({"codes": [3]}, {**BASE, "codes": [3]}),  # a list is replaced as a whole
        ({"runs": {"a": 1}}, {**BASE, "runs": {"a": 1}}),
    ],
)
def test_mappings_are_changed_entry_by_entry_and_all_else_is_replaced(changes, result):
    before = repr(BASE)
    assert patched(BASE, changes, "x") == result
    assert repr(BASE) == before


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"runs": 5}, "x: runs: found 5, which the edition that it is based on says already"),
        ({"clock": {"init": 1800}}, "x: clock: init: found 1800, which"),
        ({"clocks": None}, "x: clocks: found null, wanted an entry that can be removed; did you mean 'clock'"),
        ({"clock": {"gaps": None}}, "x: clock: gaps: found null"),
    ],
)
def test_a_change_that_changes_nothing_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        patched(BASE, changes, "x")
