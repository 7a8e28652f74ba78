"""The ratio of two systems' times in words and as a table."""

import math

from results.statistics.factors import Factor
from results.tables.factors import HEAD, better, factor_rows, interval, ratio, sentence, value

FOUND = (Factor("devices", 2.0, 4, 8), Factor("samples a second a device", 0.75, 100.0, 75.0, 0.7, 0.8))


class Set:
    """A set, as far as the sentence asks it."""

    def __init__(self, fom):
        self.fom = fom

    def one(self, column):
        return {"unit": "accelerator"}[column]


def test_a_factor_without_error_is_exact():
    assert [interval(f) for f in FOUND] == ["exact", "0.700 to 0.800"] and [value(f) for f in FOUND] == ["2", "0.750"]


def test_a_system_does_better_where_its_whole_interval_is_below_1():
    told = (*FOUND, Factor("staging", 0.9, 1, 1, 0.8, 1.1), Factor("rest", 0.5, 1, 2))
    assert better(told) == "samples a second a device, rest" and better(FOUND[:1]) == ""


def test_rows_are_as_wide_as_their_head():
    rows = factor_rows(FOUND)
    assert rows[0] == ["devices", "2", "exact", "4", "8"]
    assert all(len(row) == len(HEAD) for row in rows)


def test_the_sentence_names_ratio_and_factors():
    ratio_of_both = math.prod(f.value for f in FOUND)
    factors = "2 (devices) x 0.750 (samples a second a device)"
    assert sentence(FOUND, Set(60.0), Set(40.0), "A", "B") == (
        f"by figures of merit, A takes {ratio_of_both:.3g} times as long as B = {factors} "
        "(A: 4 accelerators, B: 8 accelerators)"
    )
    assert sentence((), Set(60.0), Set(40.0), "A", "B") == sentence(FOUND, Set(None), Set(40.0), "A", "B") == ""


def test_a_ratio_needs_two_figures():
    assert ratio(Set(60.0), Set(40.0)) == "1.5" and ratio(Set(None), Set(40.0)) == "-"
