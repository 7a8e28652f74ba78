"""What a trial does before it reads a variant."""

from argparse import Namespace
from pathlib import Path

import pytest

from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch_tools.input_trial import trial
from implementations.pytorch_tools.input_trial.trial import Measurement, Trial
from implementations.pytorch_tools.input_trial.variants import Variant


class Enough(Exception):
    """The variant would be read now."""


@pytest.mark.parametrize(
    ("form", "place", "done"),
    [
        ("stored", "data", ["drop"]),
        ("stored", "staged", ["sync", "drop"]),
        ("raw", "scratch", ["convert", "sync", "drop"]),
        ("stored", "copies", ["copy", "sync", "drop"]),
    ],
)
def test_what_was_written_is_on_disk_before_pages_are_dropped(monkeypatch, form, place, done):
    def enough(*_):
        raise Enough

    found = []
    monkeypatch.setattr(trial.os, "sync", lambda: found.append("sync"))
    monkeypatch.setattr(trial, "drop_cached_pages", lambda root: found.append("drop"))
    monkeypatch.setattr(trial, "convert", lambda *_: found.append("convert"))
    monkeypatch.setattr(trial, "make_copies", lambda *_: found.append("copy"))
    monkeypatch.setattr(trial, "storage_of", lambda root: trial.Storage("ext4", None))
    measurement = object.__new__(Measurement)
    measurement.first, measurement.tried, measurement.trial = True, 0, Trial(1, "spin", None, (form,), (), None)
    measurement.passes, measurement.size = Namespace(read=enough), lambda variant: 0
    reader = Namespace(root=Path("d"), turn_to=lambda *_: None)
    measurement.run = Namespace(layout=Layout(1), problem=None, heartbeat=None, log=Namespace(), reader=reader)
    with pytest.raises(Enough):
        measurement.variant(Variant(form, Path("d"), place, int(place == "copies")), None)
    assert found == done
