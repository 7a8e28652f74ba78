"""MOD: a model of another size, and a layout that does not fit the ranks."""

import pytest

from compliance.families import model as checks
from tests.compliance.families.damages import event_changed
from tests.compliance.made import log_of, published, terms

smaller_model = event_changed("MOD01", "parameter_count", value=1000)
layout_of_other_ranks = event_changed(
    "MOD02", "layout", runs=range(5), value={"data": 4, "depth": 1, "height": 1, "width": 1}
)


def test_mod01_says_nothing_where_a_count_is_unknown():
    check = checks.parameters_are_the_models
    assert list(check(log_of(), terms(problem=published(parameter_count=1000)), None)) == []
    for problem in (None, published()):
        assert list(check(log_of(parameter_count=999), terms(problem=problem), None)) == []


@pytest.mark.parametrize(
    ("layout", "ranks", "good"),
    [
        ({"data": 2, "depth": 3}, 6, True),
        ({"data": 2, "depth": 3}, 5, False),
        ({"data": 0}, 0, False),
        ({"data": 1}, 1, True),
        ({"data": (1 << 32) - 1}, (1 << 32) - 1, True),
        ({"data": 1 << 32}, 1 << 32, False),
        ({"data": True}, 1, False),
        ({"data": 3}, 2.0, True),
        ([3], 2, True),
        (None, 2, True),
    ],
)
def test_mod02_a_layout_has_as_many_places_as_ranks(layout, ranks, good):
    log = log_of(number_of_ranks=ranks, **({} if layout is None else {"layout": layout}))
    found = [(fault.line, fault.found) for fault in checks.layout_covers_the_ranks(log, terms(), None)]
    assert found == ([] if good else [(2, f"layout {layout}")])
