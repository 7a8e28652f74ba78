"""The catalogue of damage: energy. And what must pass: honest ends of runs, and the open division."""

import json

import pytest


@pytest.fixture
def measured(tree):
    """A good submission with the power of run 2: one node, a reading a second, from before to after the run."""
    log = tree.logs[2]
    start, stop = log.one("run_start")["time_ms"], log.one("run_stop")["time_ms"]
    events = [
        {"namespace": "", "time_ms": time, "event_type": "POINT_IN_TIME", "key": "power_reading", "value": 400.0}
        | {"metadata": {"lineno": 1}}
        for time in range(start - 1000, stop + 1001, 1000)
    ]
    path = tree.path(2).parent / "power" / "result_2" / "node_0.txt"

    def write(events=events, name="result_2"):
        text = "".join(f":::MLLOG {json.dumps(e)}\n" for e in events)
        return tree.put(path.parent.with_name(name) / path.name, text)

    write()
    return tree, events, write


def test_good_power(measured, found):
    assert found(measured[0].root) == []


def test_negative_watts(measured, found):
    tree, events, write = measured
    events[3]["value"] = -400.0
    write(events)
    assert found(tree.root) == [("node_0.txt", 4, "PWR01")]


def test_power_that_runs_back(measured, found):
    tree, events, write = measured
    events[3], events[4] = events[4], events[3]
    write(events)
    assert found(tree.root) == [("node_0.txt", 5, "PWR01")]


def test_power_of_nothing(measured, found):
    tree, _, write = measured
    write([])
    assert found(tree.root) == [("node_0.txt", 1, "PWR01")]


def test_power_that_starts_late(measured, found):
    tree, events, write = measured
    write(events[5:])
    assert found(tree.root) == [("node_0.txt", 1, "PWR02")]


def test_power_of_no_run(measured, found):
    tree, events, write = measured
    write(events, "result_7")
    assert found(tree.root) == [("node_0.txt", 1, "PWR02")]


def test_a_run_that_is_aborted_anywhere_is_honest(tree, found):
    """SIGTERM may come after any event of the run; nothing is found but that it did not converge."""
    log = tree.logs[2]
    events = list(log.events)
    first = events.index(log.one("run_start")) + 1
    for cut in range(first, len(events) - 2):
        log.events = events[:cut]
        log.time_ms = events[cut - 1]["time_ms"]
        log.stop("run_stop", status="aborted", epoch_num=1, reason="SIGTERM")
        tree.write(2)
        assert found(tree.root) == [("result_2.txt", cut + 1, "EVL07")], events[cut - 1]


def test_open_division_may_change_the_optimizer(tree, logs, found):
    tree.write_system({**logs.SYSTEM, "division": "open"})
    for index, log in enumerate(tree.logs):
        log.one("submission_division")["value"] = "open"
        log.one("opt_name")["value"] = "lamb"
        log.one("parameter_count")["value"] = 4321
        log.events.remove(log.one("opt_adam_beta_1"))
        tree.write(index)
    assert found(tree.root) == []
