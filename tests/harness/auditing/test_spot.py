"""The digest of a checkpoint's state: all its files but the metadata, which has times."""

import hashlib

import pytest

from benchmark.source import combine
from harness.auditing.logged import read_run
from harness.auditing.spot import OtherState, begin_after, state_of
from tests.compliance.logs import good


@pytest.fixture
def kept(tmp_path):
    """The folder of a run's checkpoints, of its first three epochs, and the run, whose log has their states."""
    log = good()
    for event in log.all("eval_accuracy")[:3]:
        folder = tmp_path / "kept" / f"epoch_{event['metadata']['epoch_num']:06d}"
        folder.mkdir(parents=True)
        (folder / "part.safetensors").write_text(folder.name)
        (folder / "metadata.json").write_text("{}")
        event["metadata"]["state"] = state_of(folder)
    return tmp_path / "kept", read_run(log.write(tmp_path / "result_0.txt"))


def test_a_replay_begins_with_the_log_and_state_of_an_epoch(kept, tmp_path):
    folder, run = kept
    options = begin_after(run, 2, folder, tmp_path / "new", tmp_path / "log.txt")
    assert options == ["--checkpoint", str(tmp_path / "new"), "--resume"]
    assert (tmp_path / "new" / "epoch_000002" / "part.safetensors").read_text() == "epoch_000002"
    begun, whole = (path.read_text() for path in (tmp_path / "log.txt", run.path))
    assert whole.startswith(begun) and '"eval_accuracy"' in begun.splitlines()[-1]
    assert len(read_run(tmp_path / "log.txt").epochs) == 2


def test_a_carriage_return_ends_no_line_of_the_log(kept, tmp_path):
    """Other programs show their progress so."""
    folder, run = kept
    run.path.write_bytes(b"10 %\r20 %\r30 %\n" + run.path.read_bytes())
    begin_after(read_run(run.path), 2, folder, tmp_path / "new", tmp_path / "log.txt")
    assert len(read_run(tmp_path / "log.txt").epochs) == 2


def test_a_replay_begins_with_no_other_state(kept, tmp_path):
    """Neither with that of the epoch, nor where the next epoch's is another: then this one may have been made up."""
    folder, run = kept
    last = run.epochs[-1].number

    def begin(epoch):
        return begin_after(run, epoch, folder, tmp_path / f"new_{epoch}", tmp_path / "log.txt")

    for epoch in (0, last, last + 1):
        with pytest.raises(
            ValueError, match=f"found --from-epoch {epoch:g}, wanted one from 1, before the last, {last:g}"
        ):
            begin(int(epoch))
    (folder / "epoch_000003" / "part.safetensors").write_text("another")
    for epoch in (2, 3):
        with pytest.raises(OtherState, match=r"epoch_000003: found state \w+, wanted \w+, as logged after epoch 3"):
            begin(epoch)
    begin(1)
    (folder / "epoch_000003").rename(folder / "epoch_000004")
    begin(2)
    with pytest.raises(ValueError, match="epoch_000004: found no state of epoch 4 in the log, wanted its digest"):
        begin(4)
    with pytest.raises(ValueError, match="epoch_000003: found no such folder, wanted the checkpoint after epoch 3"):
        begin(3)


def test_the_state_is_all_files_but_the_metadata(tmp_path):
    for name, data in (("part_000000.safetensors", b"a"), ("part_000001.safetensors", b"b"), ("metadata.json", b"{}")):
        (tmp_path / name).write_bytes(data)
    parts = {f"part_00000{n}.safetensors": hashlib.sha256(data).hexdigest() for n, data in enumerate((b"a", b"b"))}
    assert state_of(tmp_path) == combine(parts.items())
    (tmp_path / "part_000002.safetensors").symlink_to(tmp_path / "metadata.json")
    with pytest.raises(ValueError, match="no plain file"):
        state_of(tmp_path)
