"""Unions of spans, and the division of a window among kinds of spans."""

from hypothesis import given, settings
from hypothesis import strategies as st

from results.runs.intervals import divide, length, union


def test_union_merges_what_touches_and_drops_empty_and_backward():
    assert union([(5, 7), (0, 2), (2, 3), (9, 9), (8, 4), (6, 8)]) == [(0, 3), (5, 8)]
    assert union([(0, 1), (3, 9), (4, 5)]) == [(0, 1), (3, 9)]


def test_time_in_several_kinds_counts_for_the_first_of_them():
    kinds = {"a": [(50, 150), (140, 160)], "b": [(300, 320), (310, 400)], "c": [(150, 500), (480, 900), (990, 1200)]}
    assert divide((100, 1000), kinds) == {
        "a": [(100, 160)],
        "b": [(300, 400)],
        "c": [(160, 300), (400, 900), (990, 1000)],
        "rest": [(900, 990)],
    }


drawn = st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=6)


def moments(spans):
    return {t for start, stop in spans for t in range(start, stop)}


@settings(deadline=None)  # a busy machine is no fault
@given(drawn, drawn, drawn, st.integers(0, 12), st.integers(1, 24))
def test_spans_hold_the_moments_that_sets_of_moments_would(first, second, third, start, stop):
    window, a, b, c = moments([(start, stop)]), *map(moments, (first, second, third))
    assert moments(union(first)) == a
    wanted = {"a": window & a, "b": window & b - a, "c": window & c - a - b, "rest": window - a - b - c}
    found = divide((start, max(start, stop)), {"a": first, "b": second, "c": third})
    assert {kind: moments(spans) for kind, spans in found.items()} == wanted
    for spans in found.values():
        assert union(spans) == spans and length(spans) == len(moments(spans))
