"""The columns of the table of runs."""

import math

from results.runs.columns import Row


def test_a_row_is_empty_but_for_what_is_given():
    assert Row(None, seconds=3.0).seconds == 3.0 and Row(None).seconds == math.inf and Row(None).batch is None
