"""The columns of the table of runs."""

import math

from results.runs.columns import Row


def test_a_row_is_empty_but_for_what_is_given():
    assert Row(seconds=3.0).seconds == 3.0 and Row().seconds == math.inf and Row().batch is None
