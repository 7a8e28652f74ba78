"""Numbers for a reader."""

import math

import pytest

from results.tables.formatting import aligned, hundredths, markdown_table, minutes, show


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (math.nan, "-"), (math.inf, "never"), (3.0, "3"), (12.345, "12.35"), (0.01234, "0.0123")],
)
def test_show(value, shown):
    assert show(value) == shown


def test_columns_line_up():
    assert [hundredths(v) for v in (None, math.inf, 3, 12.345)] == ["-", "never", "3.00", "12.35"]
    assert [minutes(v) for v in (None, 90)] == ["-", "1.50"]


def test_numbers_stand_to_the_right_and_words_to_the_left():
    assert aligned([["name", "n"], ["a", "1"], ["long", "10.5"]]) == ["  name     n", "  a        1", "  long  10.5"]


def test_the_cells_of_a_markdown_table_are_escaped():
    assert markdown_table(("a", "b"), [("x|y", "1")]) == ["| a | b |", "| --- | --- |", "| x\\|y | 1 |"]
