"""How long epochs waited, as logged."""

import pytest

from compliance.reading import series
from compliance.reading.log import Log
from compliance.reading.waiting import LONGEST, Waited, waits_of


class Event:
    def __init__(self, value, epoch=1):
        self.value, self.metadata = value, {"epoch_num": epoch}


def read(*values):
    log = Log("log", events={"tracked_stats": [Event(value, n) for n, value in enumerate(values, 1)]})
    return list(waits_of(log))


def test_epochs_with_and_without_ranks():
    old = {"wait_seconds": 1, "compute_seconds": 9.0}
    ranks = {"least": 0.5, "mean": 1.5, "most": 2.0, "slowest": 2.5}
    assert read(old, {**old, "wait_by_rank": ranks}) == [Waited(1, 1, 9, None, None), Waited(2, 1, 9, 1.5, 2.5)]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"wait_seconds": 1.0},
        {"wait_seconds": -1.0, "compute_seconds": 2.0},
        {"wait_seconds": True, "compute_seconds": 2.0},
        {"wait_seconds": 0.0, "compute_seconds": 0.0},
        {"wait_seconds": 1.0, "compute_seconds": LONGEST},
        {"wait_seconds": float("nan"), "compute_seconds": 2.0},
    ],
)
def test_what_is_no_measurement_is_left_out(value):
    assert read(value) == []


def test_odd_ranks_and_epochs_are_not_known():
    log = Log(
        "log", events={"tracked_stats": [Event({"wait_seconds": 1, "compute_seconds": 1, "wait_by_rank": 7}, [])]}
    )
    assert list(waits_of(log)) == [Waited(None, 1, 1, None, None)]


def test_so_much_is_read_and_no_more():
    assert series.MOST == 20_000
    assert LONGEST == 1e12


@pytest.mark.parametrize(("wait", "compute"), [(0.0, 1.0), (1.0, 0.0), (0, 5e-324), (9e11, 9.9e11)])
def test_no_waiting_and_nothing_but_waiting_are_measurements(wait, compute):
    assert read({"wait_seconds": wait, "compute_seconds": compute}) == [Waited(1, wait, compute, None, None)]


def test_so_many_epochs_are_kept(monkeypatch):
    monkeypatch.setattr(series, "MOST", 2)
    old = {"wait_seconds": 1, "compute_seconds": 9.0}
    assert [waited.epoch for waited in read(old, old, old)] == [1, 2]
    found = waits_of(Log("log", events={"tracked_stats": [Event(old)]}))
    assert len(found) == 1


@pytest.mark.parametrize(("name", "place"), [("mean", 3), ("slowest", 4)])
def test_what_ranks_waited_is_known_by_itself(name, place):
    (found,) = read({"wait_seconds": 1, "compute_seconds": 9.0, "wait_by_rank": {name: 0.5}})
    assert found[place] == 0.5 and found[7 - place] is None
