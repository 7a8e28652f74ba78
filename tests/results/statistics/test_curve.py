"""Convergence curves: where evaluations lie over epochs."""

import pytest

from results.statistics.curve import curve


def test_epochs_are_counted_from_one_wherever_the_log_begins(new_log, read):
    for first in (0, 1):
        log = new_log.header(new_log.Log()).add("run_start")
        for e in range(first, first + 3):
            log.add("epoch_start", epoch_num=e).add("epoch_stop", after=5).add("eval_accuracy", 0.1 * e, epoch_num=e)
        run = read(log.add("run_stop", after=1))
        assert [epoch for epoch, _ in curve(run)] == [1, 2, 3]


def test_several_evaluations_to_an_epoch_are_placed_by_their_steps(new_log, read):
    log = new_log.header(new_log.Log()).add("run_start").add("epoch_start", epoch_num=1)
    for step in (10, 20, 40):
        log.add("eval_accuracy", step / 100, after=10, epoch_num=1, step_num=step)
    run = read(log.add("epoch_stop", after=1).add("run_stop", after=1))
    assert [epoch for epoch, _ in curve(run)] == [0.25, 0.5, 1]


def test_openfold_counts_samples(new_log, read):
    log = new_log.openfold()
    assert curve(read(log, "mlperf-hpc-v3.0"))[-1] == (pytest.approx(20_480 / 100_000), 0.81)


def test_values_beyond_all_measure_are_not_drawn(new_log, read):
    values = [0.5, 1e300, 0.96]
    assert [v for _, v in curve(read(new_log.scaffold(values=values)))] == [0.5, 0.96]
    assert curve(read(new_log.Log())) == []
