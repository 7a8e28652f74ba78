"""The columns of the table of runs."""

import math

from results.runs.columns import COLUMNS, REPEATED, TYPES, Row


def test_every_column_has_a_meaning_and_a_type():
    assert all(COLUMNS.values()) and set(TYPES) == set(COLUMNS)
    assert {"set", "unit", "settings"} <= set(REPEATED) and {"log", "seed", "fault", "nodes"}.isdisjoint(REPEATED)
    assert (TYPES["run"], TYPES["seconds"], TYPES["pruned"], TYPES["log"]) == ("Int64", "float64", "boolean", "object")


def test_a_row_is_empty_but_for_what_is_given():
    assert Row(seconds=3.0).seconds == 3.0 and Row().seconds == math.inf and Row().batch is None
