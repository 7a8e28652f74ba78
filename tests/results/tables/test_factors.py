"""The ratio of two systems' times in words and as a table."""

import math

from results.statistics.factors import Factor
from results.tables.factors import better, factor_rows, interval, ratio, sentence, value

FOUND = (Factor("devices", 2.0, 4, 8), Factor("samples a second a device", 0.75, 100.0, 75.0, 0.7, 0.8))


class Set:
    """A set, as far as sentences ask it; `parts` are seconds."""

    def __init__(self, fom, **parts):
        self.fom = fom
        self.parts = parts

    def one(self, column):
        return {"unit": "accelerator"}[column]

    def mean(self, column):
        seconds = self.parts.get(column.removesuffix("_ms"))
        return None if seconds is None else 1000 * seconds


def test_a_factor_without_error_is_exact():
    assert [interval(f) for f in FOUND] == ["exact", "0.700 to 0.800"] and [value(f) for f in FOUND] == ["2", "0.750"]
    rows = factor_rows(FOUND)
    assert rows[0] == ["devices", "2", "exact", "4", "8"] and len(rows[1]) == 5


def test_a_system_does_better_where_its_whole_interval_is_below_1():
    wide = (*FOUND, Factor("samples to the target", 0.9, 1, 1, 0.8, 1.1))
    assert better(wide, Set(60.0), Set(40.0)) == "samples a second a device"
    assert better(FOUND[:1], Set(60.0), Set(40.0)) == ""


def test_a_part_is_better_by_its_seconds_not_its_factor():
    """A slower system with a slow training has a small factor of evaluation, whatever its evaluations take."""
    told = (Factor("evaluation", 0.9, 1.1, 1.2, 0.89, 0.91),)
    assert better(told, Set(60.0, evaluation=16.0), Set(40.0, evaluation=8.6)) == ""
    assert better(told, Set(60.0, evaluation=7.9), Set(40.0, evaluation=8.6)) == "evaluation (7.9 s, 8.6 s)"
    assert better(told, Set(60.0, evaluation=8.0), Set(40.0, evaluation=8.6)) == ""  # 1 % of the time


def test_the_sentence_names_ratio_and_factors():
    ratio_of_both = math.prod(f.value for f in FOUND)
    factors = "2 (devices) x 0.750 (samples a second a device)"
    assert sentence(FOUND, Set(60.0), Set(40.0), "A", "B") == (
        f"by figures of merit, A takes {ratio_of_both:.2f} times as long as B = {factors} "
        "(A: 4 accelerators, B: 8 accelerators)"
    )
    assert sentence((), Set(60.0), Set(40.0), "A", "B") == sentence(FOUND, Set(None), Set(40.0), "A", "B") == ""
    assert ratio(Set(60.0), Set(40.0)) == "1.50" and ratio(Set(None), Set(40.0)) == "-"
