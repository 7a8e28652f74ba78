"""What steps waited, over ranks."""

import itertools

import pytest
import torch.distributed as dist

from implementations.pytorch.measuring import steps
from implementations.pytorch.measuring.steps import StepTimes, slowest
from implementations.pytorch.parallel.layout import Layout


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(steps.time, "perf_counter", itertools.count(0.0, 10.0).__next__)


def test_one_rank(clock):
    times = StepTimes()
    for wait in (1.0, 2.0, 12.0):  # a step of 10 s
        times.add(wait)
    found = times.statistics(Layout(1, 0, 1, 1, 1), 100.0, "cpu")
    assert found["wait_by_rank"] == {"least": 15.0, "mean": 15.0, "most": 15.0, "slowest": 15.0}
    deciles = found["step_compute_seconds"]
    assert len(deciles) == 11 and (deciles[0], deciles[5], deciles[10]) == (0.0, 8.0, 9.0)


def test_several_ranks(clock, monkeypatch):
    """The other rank waits 3 s in the first step and 1 s in the second."""
    times, layout = StepTimes(), Layout(2, 0, 1, 1, 1)
    for wait in (1.0, 2.0):
        times.add(wait)
    monkeypatch.setattr(Layout, "gather", lambda self, value: [value, 4.0])
    monkeypatch.setattr(dist, "all_reduce", lambda t, op: t.copy_(t.maximum(t.new_tensor([3.0, 1.0]))))
    found = times.statistics(layout, 4.5, "cpu")
    assert found["wait_by_rank"] == {"least": 3.0, "mean": 3.5, "most": 4.0, "slowest": 4.5}  # at most the epoch
    assert slowest([1.0, 2.0], layout, "cpu") == 5.0
