"""Times at batch sizes that a system did not run: hand-made sets whose curves are known."""

import math
from statistics import stdev
from types import SimpleNamespace

import pytest

from results.runs.columns import Row
from results.statistics.predicted import left_out, predicted, predicted_on, sizes

GROUP = ("v1.0", "b", "p", "strong", "closed")


def ran(batch, devices, samples, step, runs=5, spread=0.0):
    """A set whose runs need so many samples and so many seconds a step; samples of its runs differ by `spread`."""
    found = [samples * (1 + spread * (i - (runs - 1) / 2)) for i in range(runs)]
    times = [{"training_ms": round(1000 * n / (batch or 1) * step), "evaluation_ms": 0, "rest_ms": 0} for n in found]
    times = [{**time, "staging_ms": 5000} for time in times]  # no part of a prediction
    rows = [
        Row(None, batch=batch, units=devices, trained=n, converged=True, evaluations=1000, **time)
        for n, time in zip(found, times, strict=True)
    ]
    one = {"batch": batch, "units": devices}.get
    return SimpleNamespace(rows=rows, mask=[True] * runs, one=one, group=GROUP, org="a", system=f"s{devices}")


def test_the_size_of_a_set_is_its_samples_and_seconds_a_step():
    sets = [ran(batch, 8, 6400, 0.5) for batch in (64, 1, None, 0.5)] + [ran(64, None, 6400, 0.5)]
    found = sizes([*sets, ran(64, 16, 6400, 0.5)])
    assert list(found) == [1, 64]  # those of unknown batch or devices are left out
    assert (found[64].devices, found[64].samples.value, found[64].step.value) == (8, 6400, pytest.approx(0.5))


def test_one_size_keeps_its_samples_a_device():
    """At a quarter of the batch on a quarter of the devices a step takes as long; samples are those of others."""
    others = [ran(16, 99, 2000, 9.0), ran(32, 99, 3000, 9.0)]
    own = [ran(64, 8, 6400, 0.5)]
    found = predicted(sizes([*others, *own]), sizes(own), 16)
    assert (found.devices, found.seconds) == (2, pytest.approx(2000 / 16 * 0.5, rel=1e-3))
    assert predicted(sizes([*others, *own]), sizes(own), 24).seconds == pytest.approx(2500 / 24 * 0.5, rel=1e-3)


def test_between_two_sizes_step_and_devices_lie_on_a_line():
    own = sizes([ran(16, 4, 2000, 0.2), ran(32, 4, 3000, 0.4)])
    found = predicted(own, own, 24)
    assert (found.devices, found.seconds) == (4, pytest.approx(2500 / 24 * 0.3, rel=1e-3))
    grown = sizes([ran(16, 4, 2000, 0.2), ran(32, 8, 3000, 0.2)])
    assert predicted(grown, grown, 24).devices == 6


def test_a_batch_size_that_was_run_gives_what_was_measured():
    own = sizes([ran(64, 8, 6400, 0.5)])
    everyone = sizes([ran(64, 8, 6400, 0.5), ran(64, 16, 9999, 0.1)])
    assert predicted(everyone, own, 64).seconds == pytest.approx(50)


@pytest.mark.parametrize(("devices", "batch", "found"), [(1, 105, 1), (1, 106, None), (3, 150, None)])
def test_no_prediction_on_a_part_of_a_device(devices, batch, found):
    own = sizes([ran(100, devices, 6400, 0.5)])
    told = predicted(sizes([ran(100, 1, 1, 1), ran(200, 1, 1, 1)]), own, batch)
    assert (told and told.devices) == found


@pytest.mark.parametrize(("batch", "found"), [(15, False), (16, True), (64, True), (65, False)])
def test_nothing_is_predicted_outside_of_the_batch_sizes_of_all(batch, found):
    everyone, own = sizes([ran(16, 2, 1600, 0.5), ran(64, 8, 6400, 0.5)]), sizes([ran(64, 64, 6400, 0.5)])
    assert bool(predicted(everyone, own, batch)) == bool(predicted_on(3, everyone, own, batch)) == found


@pytest.mark.parametrize(("devices", "pace"), [(2, 0.1), (4, 0.1), (6, 0.15), (8, 0.2), (32, 0.2)])
def test_on_given_devices_each_keeps_its_samples_a_second(devices, pace):
    """`pace` is the seconds that a device takes for a sample: 0.1 on 4 devices, 0.2 on 8, that of the end beyond."""
    own = sizes([ran(16, 4, 2000, 0.4), ran(32, 8, 3000, 0.8)])
    found = predicted_on(devices, own, own, 24)
    assert (found.devices, found.seconds) == (devices, pytest.approx(2500 * pace / devices, rel=1e-3))
    assert found.high / found.seconds == pytest.approx(found.seconds / found.low)


@pytest.mark.parametrize(("batch", "pace"), [(16, 0.1), (31, 0.1), (33, 0.2), (64, 0.2)])
def test_the_nearest_batch_size_on_the_same_devices_counts(batch, pace):
    """At 16 a device takes 0.1 s for a sample, at 64 0.2 s; 32 is as far from both."""
    own = sizes([ran(16, 4, 1600, 0.4), ran(64, 4, 6400, 3.2)])
    assert predicted_on(4, own, own, batch).seconds == pytest.approx(100 * batch * pace / 4, rel=1e-3)


def test_the_interval_is_that_of_both_curves():
    """Runs of 10 that deviate by 10 % in their samples alone: Student's t of 9 degrees, 0.1 / sqrt(10). Between two
    batch sizes, they are as large a part of the error as of the samples."""
    own = sizes([ran(16, 2, 1600, 0.5), ran(64, 8, 6400, 0.5, runs=10, spread=0.1 / stdev(range(10)))])
    for batch, part in ((64, 1.0), (40, 0.8)):
        found = predicted(own, own, batch)
        assert math.log(found.high / found.seconds) == pytest.approx(part * 2.262 * 0.1 / math.sqrt(10), rel=1e-3)
        assert found.high / found.seconds == pytest.approx(found.seconds / found.low)


def test_several_sets_of_a_batch_size_share_their_runs():
    pooled = sizes([ran(64, 8, 6000, 0.5), ran(64, 8, 7000, 0.5, runs=15)])[64].samples
    assert pooled.value == pytest.approx(6750) and len(pooled.deviations) == 20
    assert sum(d * d for d in pooled.deviations) >= 5 * (750 / 6750) ** 2 + 15 * (250 / 6750) ** 2


def test_a_batch_size_between_others_tests_the_line():
    everyone = sizes([ran(16, 4, 2000, 1), ran(32, 4, 2500, 1), ran(64, 4, 5000, 1)])
    assert left_out(everyone) == {32: pytest.approx(3000 / 2500)}
    assert left_out(sizes([ran(16, 4, 2000, 1), ran(32, 4, 2500, 1)])) == {}
