"""The permutation test, against enumeration."""

import itertools

import pytest

from rules.permutation import permutation_p


def brute(a, b):
    pool = a + b
    sums = [sum(c) for c in itertools.combinations(pool, len(a))]
    return sum(s <= sum(a) + 1e-9 for s in sums) / len(sums)


@pytest.mark.parametrize(("a", "b"), [([5, 6, 7], [8, 9, 10, 6]), ([20.5, 22.25, 21.0], [19.75, 23.0, 22.5, 24.25])])
def test_p_is_exact(a, b):
    assert permutation_p(a, b) == pytest.approx(brute(a, b))


def test_sixty_runs_are_the_most():
    assert 0 < permutation_p([20 + i % 5 for i in range(30)], [21 + i % 5 for i in range(30)]) < 0.01
    with pytest.raises(ValueError, match="at most 60"):
        permutation_p([1] * 30, [1] * 31)
