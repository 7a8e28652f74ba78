"""Staging to a node's own disk, inside the clock."""

import shutil
from types import SimpleNamespace

import pytest

from benchmark.run.errors import WrongData
from benchmark.scaffold.store import sample_path
from implementations.pytorch.input import staging
from implementations.pytorch.input.staging import Staging, check_free_space, needed
from implementations.pytorch.parallel.layout import Layout


def test_a_run_reads_its_own_copy_and_leaves_none(tiny, log, folder):
    """Its time is on the clock, its bytes are the dataset's, and its evidence is the same."""
    found = tiny.ran(log, "--stage", str(folder), "--layout", "1,2,1,1", ranks=2)
    keys = [e.key for e in found]
    assert keys[keys.index("run_start") :][:4] == ["run_start", "staging_start", "staging_stop", "epoch_start"]
    files = [p for p in tiny.data.rglob("*") if p.is_file()]
    assert found[keys.index("staging_stop")].metadata["bytes"] == sum(p.stat().st_size for p in files)
    assert keys.count("dataset_fingerprint") == 2 and list(folder.iterdir()) == []


def test_what_is_read_is_the_copy(tiny, events, tmp_path, log, folder):
    """A file that is damaged is damaged in the copy, which the message names."""
    data = shutil.copytree(tiny.data, tmp_path / "data")
    path = sample_path(data, "validation", 8)
    path.write_bytes(path.read_bytes()[:3000])
    done = tiny.train(log, "--stage", str(folder), data=data)
    assert done.returncode == 2 and f"{folder}/tiny-" in done.stderr and path.name in done.stderr
    assert events(log)[-1].metadata["status"] == "aborted" and list(folder.iterdir()) == []


def test_a_disk_without_the_room_is_refused(tmp_path):
    room = shutil.disk_usage(tmp_path).free
    with pytest.raises(OSError, match=r"found .* GB free, wanted .* GB for all that this node reads"):
        check_free_space(tmp_path / "disk", 2 * room)
    check_free_space(tmp_path / "disk", 1)


def test_a_missing_file_is_wrong_data(tiny, tmp_path, monkeypatch):
    """Also one that the workload misses itself, as a mask of a volume."""
    data, disk = shutil.copytree(tiny.data, tmp_path / "data"), Staging(tmp_path / "disk", [])
    path = sample_path(data, "validation", 8)
    path.unlink()

    def fill() -> None:
        disk.fill(data, disk.folder(tiny.problem, 1), tiny.problem, Layout(1), lambda: 60.0)

    with pytest.raises(WrongData, match=f"rank 0: {path}: No such file or directory$"):
        fill()

    def missed(*_):
        raise ValueError("found no mask")

    monkeypatch.setattr(staging, "to_copy", missed)
    with pytest.raises(WrongData, match=r"rank 0: found no mask$"):
        fill()
    assert not disk.root.exists()


def test_the_copy_of_a_killed_run_takes_no_room(tiny, tmp_path, monkeypatch):
    disk, size = Staging(tmp_path / "disk", []), sum(p.stat().st_size for p in tiny.data.rglob("*") if p.is_file())

    def one_copy(root):
        return SimpleNamespace(free=size - sum(p.stat().st_size for p in root.rglob("*") if p.is_file()))

    monkeypatch.setattr(shutil, "disk_usage", one_copy)
    for _ in range(2):  # the same run, resumed
        folder = disk.folder(tiny.problem, 1)
        assert disk.fill(tiny.data, folder, tiny.problem, Layout(1), lambda: 60.0) == size


def test_ranks_meet_while_they_copy(tiny, tmp_path, log):
    """A rank whose files take long to copy is not taken for lost: here each takes longer than all may together."""
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "sitecustomize.py").write_text(
        "import os, shutil, time\n"
        "copyfile = shutil.copyfile\n"
        "if os.environ.get('RANK') == '1':\n"
        "    shutil.copyfile = lambda a, b: (time.sleep(0.9), copyfile(a, b))[1]\n"
    )
    more = {"env": {"PYTHONPATH": str(slow)}, "fresh": True}
    found = tiny.ran(log, "--stage", str(tmp_path / "disk"), "timeout_seconds=3", ranks=2, **more)
    keys = {e.key: e.time_ms for e in found}
    assert keys["staging_stop"] - keys["staging_start"] > 4000


def test_a_node_needs_all_to_train_on_and_its_own_to_evaluate(tiny):
    everything = needed(Layout(2), tiny.problem, [0, 1])
    half = needed(Layout(2), tiny.problem, [1])
    assert list(everything) == list(half) and all(everything.values())
    assert [s for (split, s), read in half.items() if split == "validation" and read] == [8, 10]
    assert sum(read for (split, _), read in half.items() if split == "train") == 7
