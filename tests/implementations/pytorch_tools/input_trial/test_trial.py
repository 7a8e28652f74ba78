"""What a trial does before it reads a variant."""

from argparse import Namespace
from pathlib import Path

import pytest

from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch_tools.input_trial import trial
from implementations.pytorch_tools.input_trial.trial import Measurement
from implementations.pytorch_tools.input_trial.variants import Variant


@pytest.mark.parametrize(
    ("form", "place", "done"),
    [
        ("stored", "data", []),
        ("stored", "staged", ["sync"]),
        ("raw", "scratch", ["convert", "sync"]),
        ("stored", "copies", ["copy", "sync"]),
    ],
)
def test_what_was_written_is_on_disk_before_it_is_read(monkeypatch, form, place, done):
    found = []
    monkeypatch.setattr(trial.os, "sync", lambda: found.append("sync"))
    monkeypatch.setattr(trial, "convert", lambda *_: found.append("convert"))
    monkeypatch.setattr(trial, "make_copies", lambda *_: found.append("copy"))
    measurement = object.__new__(Measurement)
    measurement.first = True
    measurement.run = Namespace(layout=Layout(1), problem=None, heartbeat=None, reader=Namespace(root=Path("d")))
    measurement.write(Variant(form, Path("d"), place, int(place == "copies")))
    assert found == done
