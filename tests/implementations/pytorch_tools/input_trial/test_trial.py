"""What a trial does before it reads a variant, and the time of a checkpoint."""

from argparse import Namespace
from pathlib import Path

import pytest

from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch_tools.input_trial import trial
from implementations.pytorch_tools.input_trial.checkpointing import timed
from implementations.pytorch_tools.input_trial.options import STORED
from implementations.pytorch_tools.input_trial.trial import Measurement, Trial
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


def test_variants_of_what_is_staged_or_copied(tmp_path):
    alone = Trial(1, "spin", None, (STORED,), (), None)
    assert list(alone.variants(tmp_path, object())) == [Variant(STORED, tmp_path, "staged")]
    copied = Trial(1, "spin", None, (STORED,), (), Path("s"), copies=5)
    assert list(copied.variants(tmp_path, None)) == [Variant(STORED, Path("s/copies"), "copies", 5)]


def test_the_slowest_rank_counts(monkeypatch):
    monkeypatch.setattr(Layout, "gather", lambda self, value: [value, 5.0])
    assert timed(Namespace(layout=Layout(2)), lambda: None) == 5.0
