"""Convergence curves: where evaluations lie over epochs."""

import pytest

from results.runs.curve import curve


def test_epochs_are_counted_from_one_wherever_the_log_begins(new_log, read):
    for first in (0, 1):
        log = new_log.header(new_log.Log()).add("run_start")
        for e in range(first, first + 3):
            log.add("epoch_start", epoch_num=e).add("epoch_stop", after=5).add("eval_accuracy", 0.1 * e, epoch_num=e)
        run = read(log.add("run_stop", after=1))
        assert [epoch for epoch, _ in curve(run)] == [1, 2, 3]


def test_openfold_counts_samples(new_log, read):
    log = new_log.openfold()
    assert curve(read(log, "mlperf-hpc-v3.0"))[-1] == (pytest.approx(20_480 / 100_000), 0.81)


def test_values_beyond_all_measure_are_not_drawn(new_log, read):
    values = [0.5, 1e300, 0.96]
    assert [v for _, v in curve(read(new_log.scaffold(values=values)))] == [0.5, 0.96]
    assert curve(read(new_log.Log())) == []


def scored(log, *scores):
    """A run with evaluations, each with its metadata, the value growing."""
    for i, where in enumerate(scores):
        log.add("eval_accuracy", 0.1 * (i + 1), after=10, **where)
    return log.add("run_stop", after=1)


def places_of(run):
    return [epoch for epoch, _ in curve(run)]


@pytest.mark.parametrize(
    ("steps", "places"),
    [
        ((0, 0, 40), [0, 0, 2]),
        ((0, 0), [1, 2]),
        ((10, 20, 40), [0.5, 1, 2]),
        ((None, 40), [1, 2]),
    ],
)
def test_steps_place_evaluations_over_all_epochs_where_all_are_logged(new_log, read, steps, places):
    log = new_log.header(new_log.Log()).add("run_start")
    for e in (1, 2):
        log.add("epoch_start", epoch_num=e).add("epoch_stop", after=5, epoch_num=e)
    scores = [{"epoch_num": 2} | ({} if step is None else {"step_num": step}) for step in steps]
    assert places_of(read(scored(log, *scores))) == places


def test_without_epochs_evaluations_are_counted_or_named(new_log, read):
    for scores, places in (
        ([{}, {}, {}], [1, 2, 3]),
        ([{"epoch_num": 1}, {"epoch_num": 2}, {"epoch_num": 4}], [1, 2, 4]),
    ):
        log = new_log.header(new_log.Log()).add("run_start")
        assert places_of(read(scored(log, *scores))) == places


@pytest.mark.parametrize("name", ["epoch_num", "step_num"])
@pytest.mark.parametrize(("number", "drawn"), [(2**63 - 2**11, 2), (2**63, 1)])
def test_numbers_are_drawn_below_the_largest(new_log, read, name, number, drawn):
    log = new_log.header(new_log.Log()).add("run_start")
    assert len(places_of(read(scored(log, {}, {name: number})))) == drawn
