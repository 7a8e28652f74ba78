import os
import platform
import re
from unittest.mock import Mock

import pytest

from benchmark.run import resuming
from benchmark.run.resuming import LOCK, events, latest, lock_checkpoint_dir, started
from tests.support.lines import line


def test_one_run_at_a_time_in_a_folder_that_can_be_made(tmp_path, monkeypatch):
    monkeypatch.setattr(resuming, "PATIENCE", 0.2)
    folder = tmp_path / "checkpoints"
    holder = f"process {os.getpid()} on {platform.node()}"
    with lock_checkpoint_dir(folder):
        assert (folder / LOCK).read_text() == holder
        with pytest.raises(ValueError, match=re.escape(f"{folder}: found a run at work in it ({holder}), wanted one")):
            lock_checkpoint_dir(folder)
    lock_checkpoint_dir(folder).close()  # it was left
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=f"^{tmp_path}/file/checkpoints: Not a directory$"):
        lock_checkpoint_dir(tmp_path / "file" / "checkpoints")
    monkeypatch.setattr(os, "write", Mock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(ValueError, match=f"^{folder}/lock: No space left on device$"):
        lock_checkpoint_dir(folder)


def test_what_a_log_has_so_far(tmp_path):
    log = tmp_path / "result_0.txt"
    assert started(log) is None and events(log, "run_start") == []
    lines = [line("init_start", 5), line("run_start", 7), line("loss", 9, 1), line("loss", 8, 2, [5]), "no event\n"]
    log.write_text("".join(lines))
    assert started(log) == 7 and latest(log) == 9
    assert [e.value for e in events(log, "loss")] == [1]  # not the one whose metadata is no mapping
