"""A result as one flat record."""

import json

from results.measures.identity import rank_text
from results.tables.record import COLUMNS, record


def test_every_column_in_order_and_fit_for_json(tree, new_log):
    tree.set([new_log.scaffold(50.0 + i, seed=i) for i in range(5)])
    (r,) = tree.results()
    found = record(r)
    assert list(found) == list(COLUMNS)
    json.dumps(found, allow_nan=False)
    assert (found["fom_seconds"], found["rank"], found["runs"], found["waived"]) == (52, "1", 5, 0)
    assert found["errors"] > 0 and found["verdict"] == f"{found['errors']} errors, {found['reviews']} reviews"


def test_ranks_in_words():
    assert [rank_text(rank) for rank in (None, (1, 1), (2, 4))] == [None, "1", "2-4"]
