"""Packed series: what goes in comes out, as far as it is kept."""

import math

import pytest

from compliance.reading import series as module
from compliance.reading.log import Log
from compliance.reading.series import (
    LONGEST,
    Evaluation,
    Evaluations,
    Numbers,
    Spans,
    Waited,
    counts_of,
    numbers_of,
    rows_of,
    sums_of,
    waits_of,
)
from compliance.reading.terms import terms_for
from rules.edition import load


def test_packed_series_give_back_what_was_put_in_so_many(monkeypatch):
    monkeypatch.setattr(module, "MOST", 2)
    items = [Evaluation(3, 1_790_000_000_123, 1.0, None, 0.5), Evaluation(9, 1_790_000_000_999, None, 64.0, math.pi)]
    packed = Evaluations([*items, items[0]])
    assert list(packed) == items and packed[-1] == items[1] and packed[:1] == items[:1]
    assert packed.curve == [(3, 0.5), (9, math.pi)]
    spans = Spans([(1, 5), (7, 1 << 50), (3, 4)])
    assert list(spans) == [(1, 5), (7, 1 << 50)] and spans[-1] == (7, 1 << 50)
    for series in (packed, spans):
        for beyond in (2, -3):
            with pytest.raises(IndexError):
                series[beyond]


@pytest.fixture
def read(logs):
    """Reads the waits of epochs with these values."""

    def waits(*values):
        events = (logs.event(n, "tracked_stats", value=value, epoch_num=n) for n, value in enumerate(values, 1))
        return list(waits_of(logs.read(*events)))

    return waits


def test_epochs_with_and_without_ranks(logs, read):
    old = {"wait_seconds": 1, "compute_seconds": 9.0}
    ranks = {"least": 0.5, "mean": 1.5, "most": 2.0, "slowest": 2.5}
    assert read(old, {**old, "wait_by_rank": ranks}) == [Waited(1, 1, 9, None, None), Waited(2, 1, 9, 1.5, 2.5)]
    for part, mean, slowest in (({"mean": 0.5}, 0.5, None), ({"slowest": 0.5}, None, 0.5), (7, None, None)):
        assert read({**old, "wait_by_rank": part}) == [Waited(1, 1, 9, mean, slowest)]
    event = logs.event(1, "tracked_stats", value=old, epoch_num=[])
    assert list(waits_of(logs.read(event))) == [Waited(None, 1, 9, None, None)]


@pytest.mark.parametrize(
    ("wait", "compute", "known"),
    [
        *((0.0, 1.0, True), (1.0, 0.0, True), (0, 5e-324, True), (9e11, 9.9e11, True), (1.0, LONGEST, False)),
        *((wrong, 2.0, False) for wrong in (None, -1.0, True, float("nan"))),
        (0.0, 0.0, False),
    ],
)
def test_no_waiting_and_nothing_but_waiting_are_measurements(read, wait, compute, known):
    value = {"wait_seconds": wait, "compute_seconds": compute}
    assert read(value) == ([Waited(1, wait, compute, None, None)] if known else [])
    assert read([]) == read({"wait_seconds": 1.0}) == []


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


@pytest.mark.parametrize("wrong", [None, [], [1, 2, -1], [1, 2, 3.0], [1, 2, True], [1, 2, 1 << 62], [1, 2, 3, 4]])
def test_counts_are_three_lists_of_integers_of_one_length(logs, wrong):
    assert counts_of(logs.event(1, "eval_accuracy", **{**COUNTS, "predicted": wrong})) is None
    most = [0, (1 << 62) - 1]
    assert counts_of(logs.event(1, "eval_accuracy", **dict.fromkeys(COUNTS, most))).true == tuple(most)
    assert counts_of(logs.event(1, "eval_accuracy", intersection=[1], predicted=[1], true=[1])) is None


def test_sums_are_finite_numbers(logs):
    for wrong in (None, [], [1, "2"], [1, float("nan")], [True]):
        assert sums_of(logs.event(1, "eval_error", sums=wrong)) is None


def test_numbers_are_kept_as_far_as_they_are_alike():
    rows = [(7, 1.0, (1.0, 2.0)), (8, None, (3.0, 4.0)), (9, 2.0, (5.0,)), (10, 3.0, (6.0, 7.0))]
    kept = Numbers(rows, 2)
    assert (kept.width, list(kept)) == (4, rows[:2])
    assert list(Numbers(rows, 9)) == [rows[0], rows[1], rows[3]]
    assert list(Numbers([rows[0], rows[2]], 9)) == rows[:1]  # as the first ones, whatever follows
    assert list(Numbers((), 9)) == [] and (Numbers((), 9).width, Numbers((), 9).kept) == (2, 0)


@pytest.mark.parametrize(("classes", "kept"), [(module.MOST_CLASSES, True), (module.MOST_CLASSES + 1, False)])
def test_numbers_of_so_many_classes_are_kept(logs, terms, classes, kept):
    counts = {name: [1] * (classes + 1) for name in COUNTS}  # and the background
    found = numbers_of(logs.event(1, "eval_accuracy", **counts), terms("scaffold", "smoke"))
    assert len(found) == (2 * classes if kept else 0)


@pytest.mark.parametrize(
    ("rows", "sound"),
    [
        ([[[0, 0, 1]]], True),
        ([[[0, 0, (1 << 62) - 1]]], True),
        *((rows, False) for rows in ([[[0, 0, 1 << 62]]], [[[0, 0, -1]]], [[[0, 1]]], [[]], [[[0, 0, 1]]] * 2, [7], 7)),
    ],
)
def test_counts_by_sample_are_three_of_each_class(logs, rows, sound):
    event = logs.event(1, "eval_accuracy", counts=rows)
    assert rows_of(event, samples=1, classes=1) == (rows if sound else None)
