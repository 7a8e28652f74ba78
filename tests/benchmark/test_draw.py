import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark import draw


def test_words_are_known_and_depend_on_everything():
    known = ["fde69ae9313b3675", "71d319912fac848e", "c3e55f9f6952a855"]
    assert [f"{w:016x}" for w in draw.words(20261121, draw.WALKERS, 3, 1, count=3)] == known
    all_ids = (), (1,), (0, 1), (0, 0, 1)
    found = {draw.words(*first, *ids, count=1)[0] for first in itertools.product((1, 2), (1, 2)) for ids in all_ids}
    assert len(found) == 16
    with pytest.raises(ValueError, match="4 ids"):
        draw.words(1, 2, 3, 4, 5, 6, count=1)


def test_between_reaches_both_ends():
    assert draw.between(0, 3, 9) == 3
    assert draw.between(2**64 - 1, 3, 9) == 9


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_shuffled_is_a_permutation(raw):
    assert sorted(draw.shuffled(raw)) == list(range(len(raw)))
