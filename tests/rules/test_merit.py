import math

import pytest

from rules.merit import figure_of_merit, kept, least_runs, trim_count


@pytest.mark.parametrize(("n", "k"), [(0, 1), (1, 1), (5, 1), (10, 1), (11, 2), (20, 2), (21, 3), (640, 64)])
def test_a_tenth_is_dropped_from_each_end_and_at_least_one(n, k):
    assert trim_count(n) == k


def test_kept_runs_have_a_mean_unless_too_many_failed():
    assert least_runs() == 3
    assert kept([5.0, 5.0, 5.0, 5.0, 5.0]) == [1, 2, 3]
    assert kept([9, 1, 5, 7, math.inf]) == [0, 2, 3]
    assert figure_of_merit([100, 10, 20, 30, 1]) == 20
    assert figure_of_merit([10, 20, 30, 40, math.inf]) == 30
    assert figure_of_merit([10, 20, 30, math.inf, math.inf]) is None
    assert figure_of_merit([10, 20]) is None and figure_of_merit([]) is None
