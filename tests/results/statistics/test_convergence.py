"""The permutation test on epochs, against enumeration."""

import itertools

import pytest

from results.statistics.convergence import permutation_p, surprise


def brute(a, b):
    pool = a + b
    sums = [sum(c) for c in itertools.combinations(pool, len(a))]
    return sum(s <= sum(a) + 1e-9 for s in sums) / len(sums)


@pytest.mark.parametrize(
    ("a", "b"), [([5, 6, 7], [8, 9, 10, 6]), ([10, 12], [10, 11, 12, 13, 14]), ([5.5, 6.0], [7.0, 6.5, 8.25])]
)
def test_p_is_exact(a, b):
    assert permutation_p(a, b) == pytest.approx(brute(a, b))


def test_surprise():
    slow = [20, 22, 21, 23, 20, 24, 22, 21, 23, 22]
    found = surprise([10, 11, 10, 12, 11], slow)
    assert found.p == pytest.approx(1 / 3003)
    assert found.speedup == pytest.approx(21.8 / 10.8)
    assert 1 < found.detectable < 1.3
    same = surprise([20, 22, 21, 23, 24], slow)
    assert same.p > 0.3


def test_large_sets_of_fractions_are_affordable():
    a = [20 + i / 7 for i in range(10)]
    b = [21 + i / 9 for i in range(20)]
    assert 0 < permutation_p(a, b) < 0.5


def test_too_few_runs_can_detect_nothing():
    assert surprise([10.0], [10.0, 11.0, 12.0]).detectable is None


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="epochs"):
        surprise([], [1.0])
    with pytest.raises(ValueError, match="reference"):
        surprise([1.0], [float("inf")])


def test_counted_sums_agree_with_listed_ones():
    a, b = [20.5, 22.25, 21.0], [19.75, 23.0, 22.5, 24.25]
    whole = [int(v * 4) for v in a], [int(v * 4) for v in b]
    assert permutation_p(*whole) == pytest.approx(permutation_p(a, b)) == pytest.approx(brute(a, b))


def test_sixty_runs_are_the_most():
    assert 0 < permutation_p([20 + i % 5 for i in range(30)], [21 + i % 5 for i in range(30)]) < 0.01
    with pytest.raises(ValueError, match="at most 60"):
        permutation_p([1] * 30, [1] * 31)
