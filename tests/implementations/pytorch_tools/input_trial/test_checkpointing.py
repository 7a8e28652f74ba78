"""Checkpoints as I/O; the whole of it: test_io_trial.py."""

from types import SimpleNamespace

from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch_tools.input_trial.checkpointing import timed


def test_the_slowest_rank_counts(monkeypatch):
    monkeypatch.setattr(Layout, "gather", lambda self, value: [value, 5.0])
    assert timed(SimpleNamespace(layout=Layout(2)), lambda: None) == 5.0
