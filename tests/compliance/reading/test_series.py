"""Packed series: what goes in comes out, as far as it is kept."""

import math

import pytest

from compliance.reading import series as module
from compliance.reading.log import Log
from compliance.reading.series import LONGEST, MOST, Evaluation, Evaluations, Spans, Waited, waits_of


def test_packed_series_give_back_what_was_put_in():
    items = [Evaluation(3, 1_790_000_000_123, 1.0, None, 0.5), Evaluation(9, 1_790_000_000_999, None, 64.0, math.pi)]
    packed = Evaluations(items)
    assert list(packed) == items and packed[-1] == items[1] and packed[:1] == items[:1]
    assert packed.curve == [(3, 0.5), (9, math.pi)]
    spans = Spans([(1, 5), (7, 1 << 50)])
    assert list(spans) == [(1, 5), (7, 1 << 50)] and spans[-1] == (7, 1 << 50)
    for series in (packed, spans):
        with pytest.raises(IndexError):
            series[2]


@pytest.mark.parametrize(("given", "kept"), [(MOST - 1, MOST - 1), (MOST, MOST), (MOST + 1, MOST)])
def test_so_many_are_kept(given, kept):
    assert len(Spans([(1, 2)] * given)) == len(Evaluations([Evaluation(1, 2, 3.0, 4.0, 0.5)] * given)) == kept


def test_series_keep_so_many(monkeypatch):
    assert module.MOST == 20_000
    monkeypatch.setattr(module, "MOST", 2)
    assert len(Evaluations([Evaluation(i, i, None, None, 0.5) for i in range(3)])) == 2
    packed = Spans([(1, 5), (7, 9), (11, 12)])
    assert list(packed) == [(1, 5), (7, 9)]
    for one in (packed, Evaluations([Evaluation(1, 1, None, None, 0.5)])):
        with pytest.raises(IndexError):
            one[-3]


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
    assert module.MOST == 20_000
    assert LONGEST == 1e12


@pytest.mark.parametrize(("wait", "compute"), [(0.0, 1.0), (1.0, 0.0), (0, 5e-324), (9e11, 9.9e11)])
def test_no_waiting_and_nothing_but_waiting_are_measurements(wait, compute):
    assert read({"wait_seconds": wait, "compute_seconds": compute}) == [Waited(1, wait, compute, None, None)]


def test_so_many_epochs_are_kept(monkeypatch):
    monkeypatch.setattr(module, "MOST", 2)
    old = {"wait_seconds": 1, "compute_seconds": 9.0}
    assert [waited.epoch for waited in read(old, old, old)] == [1, 2]
    found = waits_of(Log("log", events={"tracked_stats": [Event(old)]}))
    assert len(found) == 1


@pytest.mark.parametrize(("name", "place"), [("mean", 3), ("slowest", 4)])
def test_what_ranks_waited_is_known_by_itself(name, place):
    (found,) = read({"wait_seconds": 1, "compute_seconds": 9.0, "wait_by_rank": {name: 0.5}})
    assert found[place] == 0.5 and found[7 - place] is None
