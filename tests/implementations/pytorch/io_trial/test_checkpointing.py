"""Checkpoints as I/O; the whole of it: test_trial.py."""

import time
from types import SimpleNamespace

from implementations.pytorch.io_trial.checkpointing import timed
from implementations.pytorch.parallel.layout import Layout


def test_the_slowest_rank_counts(monkeypatch):
    monkeypatch.setattr(Layout, "gather", lambda self, value: [value, 5.0])
    assert timed(SimpleNamespace(layout=Layout(2)), lambda: None) == 5.0


def test_it_takes_as_long_as_it_takes():
    assert timed(SimpleNamespace(layout=Layout(1)), lambda: time.sleep(0.01)) >= 0.01
