"""What counts as a number, as a seed, and as a shallow value."""

import math

import pytest

from compliance.reading.values import (
    Unsound,
    count_of,
    grouped,
    has_form,
    is_number,
    is_shallow,
    is_size,
    is_word,
    read_object,
    seed_of,
    total,
)
from tests.support.sides import sides

LARGE = 1 << 1000


@pytest.mark.parametrize(
    ("check", "value", "good"),
    sides(
        (is_number, [-1, 5e-324, LARGE - 1, 1 - LARGE], [True, "1", math.nan, -math.inf, LARGE, -LARGE]),
        (is_size, [0, (1 << 53) - 1], [-1, 1 << 53, 1.0, True, "1"]),
        (is_word, ["a"], ["", " \n", 1]),
    ),
)
def test_a_value_is_a_number_a_size_or_a_word(check, value, good):
    assert check(value) is good


def test_items_are_grouped_by_key_in_order():
    assert list(grouped("bacabc", str.isalpha).items()) == [(True, [*"bacabc"])] and grouped((), len) == {}
    assert list(grouped((3, 1, 4, 1, 5, 9), lambda n: n % 3).items()) == [(0, [3, 9]), (1, [1, 4, 1]), (2, [5])]


def test_a_sum_has_the_same_bits_in_every_python():
    assert total([0.1, 0.2, 0.3]) == 0.1 + 0.2 + 0.3 == 0.6000000000000001  # 0.6 by sum() from Python 3.12 on
    assert total([]) == 0 and total([1 << 60, 1]) == (1 << 60) + 1 and total([1e308, 1e308]) == math.inf


@pytest.mark.parametrize(
    ("value", "seed"),
    [
        *((0, 0), (1 << 63, 1 << 63), (7.0, 7), (0.0, 0), (float((1 << 53) - 1), (1 << 53) - 1)),
        *((" 18446744073709551615 ", (1 << 64) - 1), ("9" * 99, int("9" * 99))),
        (float(1 << 53), None),  # which integer was meant, nobody can tell
        *((wrong, None) for wrong in (-1, -1.0, 1.5, True, 1 << 1000, "", "-5", "9" * 100, "٣", [5])),
    ],
)
def test_a_seed_is_an_exact_integer_from_0_on(value, seed):
    assert seed_of(value) == seed


@pytest.mark.parametrize(
    ("value", "count"),
    [
        *((0, 0), (" 8 ", 8), ("9" * 99, int("9" * 99))),
        ("9" * 5000, None),  # more digits than Python reads
        *((wrong, None) for wrong in ("9" * 100, "-1", -1, 1 << 1000, True, 1.0, [8])),
    ],
)
def test_counts(value, count):
    assert count_of(value) == count


@pytest.mark.parametrize(("value", "levels"), [(1, 0), ("[", 0), ([], 1), ({"a": [1]}, 2), ([[], [[]]], 3)])
def test_a_value_is_as_deep_as_its_deepest_part(value, levels):
    assert is_shallow(value, levels) and (levels == 0 or not is_shallow(value, levels - 1))


@pytest.mark.parametrize(
    ("form", "value", "good"),
    sides(
        (int, [1], [True]),
        (lambda n: n > 2, [3], [2]),
        ([str], [[], ["a", "b"]], [["a", 7], "ab"]),
        ({"a": int}, [{"a": 1, "more": None}], [{"a": "x"}, {}, [("a", 1)]]),
        ({"a": int, str: int}, [{"a": 1, "b": 2}], [{"a": 1, "b": "x"}, {"b": 2}]),
        ({"a": [{"b": list}]}, [{"a": [{"b": []}]}], [{"a": [{"b": {}}]}]),
    ),
)
def test_a_value_has_a_form(form, value, good):
    assert has_form(value, form) is good


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "it is no JSON: Expecting value: line 1 column 1 (char 0)"),
        (b"\xff\xfe", "it is no JSON: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b"[" * 200_000, None),
        (b'{"a":' + b"1" * 5000 + b"}", None),
        (b"[]", "it is 'list'"),
        (b'{"a": {"b": 1, "b": 1}}', "a name that is given twice"),
        (b'{"a": NaN}', "the number NaN"),
        (b'{"a": -1e999}', "the number -1e999"),
        (b'{"a": ' + b"9" * 36 + b"e9999}", f"the number {'9' * 36}e999"),  # 40 characters of it
    ],
    ids=range(9),
)
def test_what_is_no_object_is_told(data, found):
    with pytest.raises(Unsound) as caught:
        read_object(data, "it is ")
    told = caught.value.found
    assert read_object(b'{"a": 1.5, "b": {"a": []}}') == {"a": 1.5, "b": {"a": []}}
    assert told == found or (found is None and told.startswith("it is no JSON: ") and len(told) <= 95)
