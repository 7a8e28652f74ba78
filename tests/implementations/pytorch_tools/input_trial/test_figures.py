"""Figures over ranks and passes."""

import pytest

from implementations.pytorch_tools.input_trial.counters import Reads
from implementations.pytorch_tools.input_trial.figures import Pass, figures, joined

ONE = Pass("a", (4.0, 0.0, 1.0), (6.0, 9.0, 8.0), (10.0, 10.0, 10.0), 100, Reads(50, 5, 40), 60)
TWO = Pass("a", (0.0, 2.0, 1.0), (6.0, 9.0, 8.0), (10.0, 10.0, 10.0), 100, Reads(50, 15, 20), 60)


def test_utilization_leaves_the_first_step_out():
    assert ONE.utilization == pytest.approx(17 / 20)
    assert Pass("a", (0.0,), (1.0,), (1.0,), 0, Reads(), None).utilization is None
    assert Pass("a", (0.0, 0.0), (1.0, 9.0), (1.0, 1.0), 0, Reads(), None).utilization == 1.0


def test_of_two_ranks():
    found = figures([ONE, TWO], 6, [[0.8], [0.9]])
    assert (found["throughput"], found["seconds"]) == (0.2, 30.0)
    assert found["au"] == {"least": 0.8, "mean": pytest.approx(0.85), "most": 0.9}
    waits = found["wait_seconds"]
    assert (waits["least"], waits["mean"], waits["most"], waits["slowest"], waits["longest"]) == (3, 4, 5, 7, 4)
    assert found["au_waiting"] == pytest.approx(1 - 8 / 60) and found["au_barrier"] == pytest.approx(1 - 7 / 30)
    assert found["logical_bytes"] == {"total": 200, "least_by_rank": 100, "most_by_rank": 100}
    assert found["physical_bytes"]["total"] == 60 and found["disk_bytes"] == 60  # of one host
    assert found["requests"]["total"] == 20 and found["request_bytes"] == 5.0


def test_passes_are_joined_and_what_is_not_counted_stays_unknown():
    both = joined([ONE, ONE])
    assert (both.seconds, both.delivered, both.reads, both.disk) == (60.0, 200, Reads(100, 10, 80), 120)
    blind = Pass("b", (0.0,), (1.0,), (1.0,), 10, Reads(), None)
    assert joined([blind]).disk is None
    found = figures([blind], 1, [[]])
    assert found["au"] is found["physical_bytes"] is found["disk_bytes"] is found["request_bytes"] is None
