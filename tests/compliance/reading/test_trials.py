"""What is kept of a trial of the input, whatever a log has in its place."""

from types import SimpleNamespace

import pytest

from benchmark.log import Event
from compliance.reading.trials import LONGEST, MOST, trials_of

FIGURES = {
    "throughput": 4.0,
    "seconds": 2.0,
    "au": {"least": 0.8, "mean": 0.9, "most": 1},
    "au_waiting": 0.85,
    "au_barrier": 0.84,
    "logical_bytes": {"total": 8_000_000},
    "read_bytes": {"total": 4_000_000},
    "physical_bytes": None,
    "wait_seconds": {"p99": 0.01, "longest": 0.02},
    "dataset_over_memory": 5.5,
    "cache": "cold: read from the device",
}


def log_of(*values, setup=None, place="scratch"):
    metadata = {"format": "raw", "place": place}
    events = [Event(n, 0, "POINT_IN_TIME", "io_trial", v, metadata) for n, v in enumerate(values, 7)]
    return SimpleNamespace(all=lambda key: events, value=lambda key: setup)


def test_figures_are_as_logged():
    (found,) = trials_of(log_of(FIGURES, setup={"emulate": "spin", "null_au": 0.99}))
    assert found[:7] == (7, "spin", "raw", "scratch", "cold: read from the device", 4.0, 2.0)
    assert found[7:] == (0.9, 0.99, 0.85, 0.84, 8e6, 4e6, None, 0.01, 0.02, 5.5, None, None)
    assert (found.speed(found.logical), found.speed(found.physical)) == (4.0, None)
    (found,) = trials_of(log_of(FIGURES | {"wait_seconds": {"p99": 0}, "physical_bytes": {"total": 0}}))
    assert (found.p99, found.physical, found.speed(found.physical)) == (0, 0, 0)  # a measurement, too


@pytest.mark.parametrize("value", [None, [], 3, {}, {"au": 3, "wait_seconds": [], "logical_bytes": 7}])
def test_what_is_not_there_is_none(value):
    (found,) = trials_of(log_of(value, setup=value, place="staged"))
    assert found[1] == "-" and found[4] == "-" and set(found[5:]) == {None}


@pytest.mark.parametrize(("least", "said"), [(None, "-"), (0.9, "pass"), (0.91, "fail")])
def test_a_trial_passes_at_the_least_au_that_is_wanted(least, said):
    (found,) = trials_of(log_of(FIGURES, setup={"least_au": least}))
    assert found.verdict == said
    (found,) = trials_of(log_of(FIGURES | {"au": None}, setup={"least_au": least}))
    assert found.verdict == ("-" if least is None else "fail")


def test_staged_data_have_the_rate_until_all_was_on_disk():
    setup = {"staging": {"bytes": 8_000_000, "seconds": 1.0, "synced_seconds": 4.0}}
    assert [trials_of(log_of(FIGURES, setup=setup, place=at))[0].staging for at in ("staged", "data")] == [2e6, None]
    setup["staging"]["synced_seconds"] = 0
    assert trials_of(log_of(FIGURES, setup=setup, place="staged"))[0].staging is None


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), True, "4", 10**400])
def test_what_is_no_measurement_is_none(wrong):
    (found,) = trials_of(log_of(FIGURES | {"throughput": wrong, "seconds": wrong}))
    assert (found.rate, found.seconds, found.speed(1.0)) == (None, None, None)


def test_a_log_does_not_make_the_table_long():
    found = trials_of(log_of(*[FIGURES | {"cache": "x" * 1000}] * (MOST + 5)))
    assert len(found) == MOST and found[0].cache == "x" * LONGEST
