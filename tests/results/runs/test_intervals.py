"""Unions of spans."""

from hypothesis import given, settings
from hypothesis import strategies as st

from results.runs.intervals import clip, length, subtract, union


def test_union_merges_what_touches_and_drops_what_is_empty_or_backward():
    assert union([(5, 7), (0, 2), (2, 3), (9, 9), (8, 4), (6, 8)]) == [(0, 3), (5, 8)]


def test_clip_keeps_what_is_inside():
    assert clip([(0, 3), (5, 8), (9, 12)], (2, 10)) == [(2, 3), (5, 8), (9, 10)]
    assert clip([(0, 2), (4, 5), (7, 8)], (2, 7)) == [(4, 5)]  # nothing empty of what only touches


def test_subtract_may_leave_several_pieces():
    assert subtract([(0, 10), (20, 30)], [(2, 3), (5, 22), (29, 40)]) == [(0, 2), (3, 5), (22, 29)]


def test_subtract_leaves_nothing_empty_and_needs_nothing_behind():
    assert subtract([(0, 5)], [(0, 2)]) == [(2, 5)]  # begins with what is taken
    assert subtract([(0, 5)], [(3, 5)]) == [(0, 3)]  # ends with it
    assert subtract([(0, 5)], [(0, 5)]) == []
    assert subtract([(5, 6), (8, 9)], [(0, 1), (2, 5)]) == [(5, 6), (8, 9)]  # all that is taken comes before


def test_length():
    assert length([(0, 3), (5, 8)]) == 6 and length([]) == 0


spans = st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=6)


def moments(found):
    return {t for start, stop in found for t in range(start, stop)}


@settings(deadline=None)  # a busy machine is no fault
@given(spans, spans, st.tuples(st.integers(0, 24), st.integers(0, 24)))
def test_spans_hold_the_moments_that_sets_of_moments_would(some, others, window):
    a, b = union(some), union(others)
    for found, wanted in (
        (a, moments(some)),
        (clip(a, window), moments(some) & moments([window])),
        (subtract(a, b), moments(some) - moments(others)),
    ):
        assert moments(found) == wanted and length(found) == len(wanted)
        assert all(start < stop for start, stop in found) and found == sorted(found)
