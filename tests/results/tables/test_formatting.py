"""Numbers for a reader."""

import math

import pytest

from results.tables.formatting import aligned, csv_of, finite, fixed, hundredths, markdown_table, minutes, show


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (math.nan, "-"), (math.inf, "never"), (3.0, "3"), (12.345, "12.35"), (0.01234, "0.0123")],
)
def test_show(value, shown):
    assert show(value) == shown


def test_a_small_number_is_never_printed_as_none():
    assert [fixed(v, 2) for v in (0.0, 0.0065, 0.0996, 0.1, 12.345)] == ["0.00", "0.0065", "0.10", "0.10", "12.35"]
    assert fixed(-0.0065, 2) == "-0.0065" and fixed(7.4, 0) == "7"


def test_what_is_no_number_is_null():
    assert [finite(v) for v in (float("nan"), math.inf, 1.5, 3, "a", None)] == [None, None, 1.5, 3, "a", None]


def test_csv_has_no_infinite_number():
    assert csv_of(["a", "b"], [{"a": math.inf, "b": 1.5}, {"a": math.nan, "b": -math.inf}]) == "a,b\n,1.5\n,\n"


def test_columns_line_up():
    assert [hundredths(v) for v in (None, math.inf, 3, 12.345)] == ["-", "never", "3.00", "12.35"]
    assert [minutes(v) for v in (None, 90)] == ["-", "1.50"]


def test_numbers_stand_to_the_right_and_words_to_the_left():
    assert aligned([["name", "n"], ["a", "1"], ["long", "10.5"]]) == ["  name     n", "  a        1", "  long  10.5"]


def test_the_cells_of_a_markdown_table_are_escaped():
    assert markdown_table(("a", "b"), [("x|y", "1")]) == ["| a | b |", "| --- | --- |", "| x\\|y | 1 |"]
