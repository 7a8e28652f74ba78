"""Numbers for a reader."""

import math

from results.tables.formatting import (
    aligned,
    csv_of,
    cut,
    decimals_of,
    finite,
    interval,
    markdown_table,
    minutes,
    plus_minus,
    quality,
    show,
    times,
    times_between,
    with_error,
)


def test_thousands_are_separated_and_digits_are_few():
    values = [None, math.nan, math.inf, 1234567, 12345.678, 12.3456, 0.0012345, 0]
    assert [show(v) for v in values] == ["-", "-", "never", "1,234,567", "12,346", "12.35", "0.001234", "0"]
    assert [minutes(v) for v in (None, 90, 360_000)] == ["-", "1.50", "6,000.00"]


def test_an_error_deserves_two_digits_and_whole_numbers_stay():
    assert [decimals_of(error) for error in (150, 15, 1.5, 0.15, 0, None, 1e-9)] == [0, 0, 1, 2, 2, 2, 6]


def test_means_and_intervals_have_the_digits_of_their_error():
    assert with_error(2069.4567, 151.0) == "2,069" and with_error(15.8123, 1.3) == "15.8"
    assert with_error(7, None) == "7" and with_error(8, 0) == "8"
    assert plus_minus(10.875, 0.64) == "10.88 ± 0.64" and plus_minus(None, 1) == "-"
    assert interval(1201.4, 1836.8) == "1,201 to 1,837" and interval(None, None) == ""


def test_hardly_any_error_makes_no_more_than_five_digits():
    """As found: 1,393.729578 and 733.23888 ± 0.00033."""
    assert with_error(1393.729578, 4e-7) == "1,393.7" and plus_minus(733.23888, 0.00033) == "733.24 ± 0.0003"
    assert plus_minus(99.94381, 0.0092) == "99.944 ± 0.009"
    assert interval(1393.729578, 1393.729579) == "1,393.7 to 1,393.7"


def test_ratios_have_one_form():
    """As found: 36.94, then 37, then 33.503."""
    assert times(36.94, 33.87, 40.29) == "36.9" and times(37.02) == "37.0" and times(4.0) == "4"
    assert times(33.503, 32.707, 34.318) == "33.50" and times_between(32.707, 34.318) == "32.71 to 34.32"
    assert times(1.00012, 1.0001, 1.0002) == "1.000" and times(None) == "-"


def test_a_score_that_missed_never_looks_like_the_target():
    assert quality(0.95123, 0.95) == "0.9512" and quality(None, 0.95) == "-" and quality(math.inf, 1) == "-"
    assert quality(0.12401, 0.124) == "0.12401" and quality(0.124, 0.124) == "0.1240"
    assert quality(0.94999, 0.95) == "0.94999" and quality(0.5, None) == "0.5000"
    assert quality(0.124 + 1e-18, 0.124) == "0.1240"  # the same number


def test_a_long_text_is_cut():
    assert cut("abcdef", 6) == "abcdef" and cut("abcdefg", 6) == "abc..."


def test_what_is_no_number_is_null():
    assert [finite(v) for v in (float("nan"), math.inf, 1.5, 3, "a", None)] == [None, None, 1.5, 3, "a", None]
    assert csv_of(["a", "b"], [{"a": math.inf, "b": 1.5}, {"a": math.nan, "b": -math.inf}]) == "a,b\n,1.5\n,\n"


def test_numbers_stand_to_the_right_and_words_to_the_left():
    assert aligned([["name", "n"], ["a", "1"], ["long", "10.5"]]) == ["  name     n", "  a        1", "  long  10.5"]
    rows = aligned([["s", "n"], ["45.0 (0.75 min)", "1 to 2,234"], ["-", "<= 2"]])  # with a second line
    assert rows[1:] == ["  45.0 (0.75 min)  1 to 2,234", "                -        <= 2"]


def test_the_cells_of_a_markdown_table_are_escaped():
    assert markdown_table(("a", "b"), [("x|y", "1")]) == ["| a | b |", "| --- | --- |", "| x\\|y | 1 |"]
