"""What scores follow from: counts, sums, and what is kept of them."""

from dataclasses import replace

import pytest

from compliance.reading import scores as module
from compliance.reading.log import Log
from compliance.reading.scores import Numbers, counts_of, numbers_of, sums_of
from compliance.reading.terms import terms_for
from rules.edition import load

COUNTS = {"intersection": [9, 2, 3], "predicted": [10, 4, 5], "true": [11, 3, 5]}


@pytest.fixture
def terms(logs):
    def of(benchmark, problem):
        return terms_for(logs.read(logs.event(1, "problem", value=problem)), load("v1.0"), benchmark)

    return of


def test_numbers_are_hits_and_predictions_of_the_foreground_or_sums(logs, terms):
    dice, mean = terms("scaffold", "smoke"), terms("cosmoflow", "cosmoflow-mini")
    assert numbers_of(logs.event(1, "eval_accuracy", **COUNTS), dice) == (2, 3, 4, 5)
    assert numbers_of(logs.event(1, "eval_error", sums=[0.5, 2, 3, 4]), mean) == (0.5, 2.0, 3.0, 4.0)
    assert numbers_of(logs.event(1, "eval_error"), mean) == numbers_of(logs.event(1, "eval_accuracy"), dice) == ()
    assert numbers_of(logs.event(1, "eval_error", sums=[1.0] * 3), mean) == ()
    assert numbers_of(logs.event(1, "eval_accuracy", **COUNTS), terms_for(Log("x"), load("v1.0"), "scaffold")) == ()


@pytest.mark.parametrize("wrong", [None, [], [1], [1, 2, -1], [1, 2, 3.0], [1, 2, True], [1, 2, 1 << 62], [1, 2, 3, 4]])
def test_counts_are_three_lists_of_integers_of_one_length(logs, wrong):
    assert counts_of(logs.event(1, "eval_accuracy", **COUNTS)) is not None
    assert counts_of(logs.event(1, "eval_accuracy", **{**COUNTS, "predicted": wrong})) is None


@pytest.mark.parametrize("wrong", [None, [], [1, "2"], [1, float("nan")], [True], 3])
def test_sums_are_finite_numbers(logs, wrong):
    assert sums_of(logs.event(1, "eval_error", sums=wrong)) is None


def test_numbers_are_kept_as_far_as_they_are_alike():
    rows = [(7, 1.0, (1.0, 2.0)), (8, None, (3.0, 4.0)), (9, 2.0, (5.0,)), (10, 3.0, (6.0, 7.0))]
    kept = Numbers(rows, 2)
    assert (kept.width, list(kept)) == (2, rows[:2])
    assert list(Numbers(rows, 9)) == [rows[0], rows[1], rows[3]]
    assert list(Numbers([rows[0], rows[2]], 9)) == rows[:1]  # as the first ones, whatever follows
    assert list(Numbers((), 9)) == [] and Numbers((), 9).width == 0


def test_what_they_take_is_counted():
    assert Numbers([(7, 1.0, (1.0, 2.0))] * 3, 9).kept == 3 * 4 * 8


def test_so_much_is_read_and_no_more():
    assert module.MOST_CLASSES == 64


def test_counts_have_two_classes_at_least_and_fit_63_bits(logs):
    two = {name: [0, (1 << 62) - 1] for name in COUNTS}
    assert counts_of(logs.event(1, "eval_accuracy", **two)).true == (0, (1 << 62) - 1)
    assert counts_of(logs.event(1, "eval_accuracy", **{name: [1] for name in COUNTS})) is None


@pytest.mark.parametrize(("classes", "kept"), [(module.MOST_CLASSES, True), (module.MOST_CLASSES + 1, False)])
def test_numbers_of_so_many_classes_are_kept(logs, terms, classes, kept):
    counts = {name: [1] * (classes + 1) for name in COUNTS}  # and the background
    found = numbers_of(logs.event(1, "eval_accuracy", **counts), terms("scaffold", "smoke"))
    assert len(found) == (2 * classes if kept else 0)


def test_of_an_unknown_benchmark_nothing_is_compared(logs, terms):
    known = terms("scaffold", "smoke")
    for name in ("benchmark", "problem"):
        assert numbers_of(logs.event(1, "eval_accuracy", **COUNTS), replace(known, **{name: None})) == ()
