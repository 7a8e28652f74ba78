"""One run at a time in a folder of checkpoints, and what its log has so far."""

import os
import platform
import re

import pytest

from benchmark.run import resuming
from benchmark.run.resuming import LOCK, events, latest, lock_checkpoint_dir, started

LINE = ':::MLLOG {{"event_type": "POINT_IN_TIME", "time_ms": {}, "key": "{}", "value": {}, "metadata": {}}}\n'


def test_one_run_at_a_time_in_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(resuming, "PATIENCE", 0.2)
    folder = tmp_path / "checkpoints"
    holder = f"process {os.getpid()} on {platform.node()}"
    with lock_checkpoint_dir(folder):
        assert (folder / LOCK).read_text() == holder
        with pytest.raises(ValueError, match=re.escape(f"{folder}: found a run at work in it ({holder}), wanted one")):
            lock_checkpoint_dir(folder)
    lock_checkpoint_dir(folder).close()  # it was left


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=f"{tmp_path}/file/checkpoints: "):
        lock_checkpoint_dir(tmp_path / "file" / "checkpoints")


def test_what_a_log_has_so_far(tmp_path):
    log = tmp_path / "result_0.txt"
    assert started(log) is None and events(log, "run_start") == []
    lines = [(5, "init_start", 0, "null"), (7, "run_start", 0, "{}"), (9, "loss", 1, "{}"), (8, "loss", 2, "[]")]
    log.write_text("".join(LINE.format(*line) for line in lines) + "no event\n")
    assert started(log) == 7 and latest(log) == 9
    assert [e.value for e in events(log, "loss")] == [1]  # not the one whose metadata is no mapping
