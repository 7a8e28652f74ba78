import statistics
from decimal import localcontext
from fractions import Fraction

import pytest

from benchmark.tuning.campaign import Axis
from benchmark.tuning.points import PRIMES, at, halton, point, uniform
from tests.support.campaigns import RATE, campaign

SHIFT = "0f" * 32
SPACE = {
    "rate": RATE,
    "warmup": {"low": 0, "high": 10, "integer": True},
    "name": {"values": ["a", "b", "c"]},
    "decay": {"low": 0, "high": 0.5},
}


def test_points_are_these_digits_everywhere():
    found = [point(campaign(space=SPACE), SHIFT, i) for i in range(3)]
    assert found == [
        {"decay": 0.1936, "name": "c", "rate": 0.004515, "warmup": 10},
        {"decay": 0.4436, "name": "a", "rate": 0.001798, "warmup": 6},
        {"decay": 0.06863, "name": "b", "rate": 0.0001134, "warmup": 9},
    ]


def test_halton_fills_an_axis_equally_and_uniformly_over_shifts():
    """Of each b^k points in a row, each part of size b^-k has one: the property of the sequence, which digits that are
    permuted keep."""
    for axis, base in enumerate(PRIMES[:4]):
        for first in (0, base**2, 5 * base**2):
            parts = [int(halton(SHIFT, axis, first + i) * base**2) for i in range(base**2)]
            assert sorted(parts) == list(range(base**2))
    for draw in (halton, uniform):
        values = [float(draw(f"{i:064x}", 3, 17)) for i in range(400)]
        assert abs(statistics.mean(values) - 0.5) < 0.06 and all(0 < v < 1 for v in values)
        assert len(set(values)) == 400


@pytest.mark.parametrize(
    "share, value",
    [(0, 1e-4), (Fraction(1, 2), 1e-3), (1, 1e-2), (Fraction(1, 4), 0.0003162), (Fraction(1, 3), 0.0004642)],
)
def test_a_log_scale_whatever_the_surroundings_context(share, value):
    assert at(Axis(1e-4, 1e-2, "log"), Fraction(share)) == value
    with localcontext(prec=3, rounding="ROUND_UP"):
        assert at(Axis(1e-4, 1e-2, "log"), Fraction(share)) == value


def test_whole_numbers_and_values_have_equal_shares():
    values = [at(Axis(values=("a", "b")), Fraction(i, 4)) for i in range(5)]
    assert values == ["a", "a", "b", "b", "b"]
    assert [at(Axis(0, 3, integer=True), Fraction(i, 8)) for i in range(9)] == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    assert [at(Axis(1, 7, "log", integer=True), Fraction(i, 3)) for i in range(4)] == [1, 2, 4, 7]
    assert [at(Axis(-2, 1, integer=True), Fraction(i, 4)) for i in range(5)] == [-2, -1, 0, 1, 1]
    assert type(at(Axis(1, 3, integer=True), Fraction(0))) is int


def test_points_of_a_grid_of_a_list_and_from_outside():
    space = {"a": {"values": [1, 2]}, "b": {"low": 0, "high": 1, "points": 3}}
    grid = campaign(space=space, trials=6, sampler="grid")
    found = [tuple(point(grid, SHIFT, i).values()) for i in range(6)]
    assert found == [(1, 0.0), (1, 0.5), (1, 1.0), (2, 0.0), (2, 0.5), (2, 1.0)]
    space = {"a": {"values": [1, 2]}}
    listed = campaign(space=space, sampler="list", trials=2, points=[{"a": 2}, {"a": 1}])
    assert [point(listed, SHIFT, i) for i in range(2)] == [{"a": 2}, {"a": 1}]
    with pytest.raises(ValueError, match="found optuna"):
        point(campaign(sampler="optuna"), SHIFT, 0)
