"""What counts as a number, as a seed, and as a shallow value."""

import math

import pytest

from compliance.reading.values import Unsound, count_of, is_number, is_shallow, seed_of, unique


@pytest.mark.parametrize("value", [0, -1, 0.5, 5e-324, (1 << 1000) - 1, 1 - (1 << 1000), -0.0])
def test_finite_numbers_that_a_float_can_hold(value):
    assert is_number(value) and math.isfinite(float(value))


@pytest.mark.parametrize("value", [True, None, "1", [1], math.nan, math.inf, -math.inf, 1 << 1000, -(1 << 1000)])
def test_what_is_no_number(value):
    assert not is_number(value)


@pytest.mark.parametrize(
    ("value", "seed"),
    [
        (0, 0),
        (1 << 63, 1 << 63),
        (7.0, 7),
        (float((1 << 53) - 1), (1 << 53) - 1),
        (" 18446744073709551615 ", (1 << 64) - 1),
        ("9" * 99, int("9" * 99)),
        (-1, None),
        (0.0, 0),
        (-1.0, None),
        (1.5, None),
        (float(1 << 53), None),  # which integer was meant, nobody can tell
        (True, None),
        (1 << 1000, None),
        ("", None),
        ("-5", None),
        ("0x10", None),
        ("9" * 100, None),
        ("٣", None),
        (None, None),
        ([5], None),
    ],
)
def test_a_seed_is_an_exact_integer_from_0_on(value, seed):
    assert seed_of(value) == seed
    assert type(seed_of(value)) is not bool


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (" 8 ", 8),
        ("9" * 99, int("9" * 99)),
        ("9" * 100, None),
        ("9" * 5000, None),  # more digits than Python reads
        ("-1", None),
        (-1, None),
        (1 << 1000, None),
        (True, None),
        (1.0, None),
        ([8], None),
    ],
)
def test_counts(value, count):
    assert count_of(value) == count


@pytest.mark.parametrize(("value", "levels"), [(1, 0), ("[", 0), ([], 1), ({"a": [1]}, 2), ([[], [[]]], 3)])
def test_a_value_is_as_deep_as_its_deepest_part(value, levels):
    assert is_shallow(value, levels) and (levels == 0 or not is_shallow(value, levels - 1))


def test_a_name_that_is_given_twice_is_refused():
    assert unique([("a", 1), ("b", 1)]) == {"a": 1, "b": 1}
    with pytest.raises(Unsound):
        unique([("a", 1), ("a", 1)])
