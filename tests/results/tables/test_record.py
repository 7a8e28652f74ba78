"""A result as one flat record."""

from results.measures.identity import rank_text


def test_ranks_in_words():
    assert [rank_text(rank) for rank in (None, (1, 1), (2, 4))] == [None, "1", "2-4"]
