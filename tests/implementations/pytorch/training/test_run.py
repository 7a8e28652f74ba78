"""What a run leaves when it is over."""

import hashlib
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file

from benchmark.log import ROOT
from benchmark.manifest import load_manifest
from benchmark.run.errors import WrongData
from benchmark.run.files import weights_path
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.task import build_task
from implementations.pytorch.training.run import Run
from tests.support.lines import values
from tests.support.settings import load_config
from tests.support.threaded import in_threads
from tests.support.tiny import Tiny
from tests.support.waiting import comes_to


def test_a_successful_run_keeps_the_weights_that_scored(tiny, log):
    found = tiny.ran(log, "--layout", "1,2,1,1", "sharding=fsdp", "average_epochs=0.5", ranks=2)
    *_, stop, weights = found
    data = weights_path(log).read_bytes()
    assert (stop.key, weights.key) == ("run_stop", "weights")
    assert weights.value == hashlib.sha256(data).hexdigest()
    kept = {"bytes": len(data), "path": "weights/result_0.safetensors"}
    assert {name: weights.metadata[name] for name in kept} == kept
    config = load_config(Config, tiny.config)
    model = build_task(tiny.problem, config).build_model()
    tensors = load_file(weights_path(log))
    assert {n: t.shape for n, t in tensors.items()} == {n: t.shape for n, t in model.state_dict().items()}
    (count,) = values(found, "parameter_count")
    assert sum(t.numel() for t in tensors.values()) == count
    assert all(t.dtype == torch.float32 for t in tensors.values())


def test_ranks_end_alike_where_a_node_has_no_dataset(tiny, tmp_path, monkeypatch):
    def read(*roots):
        def on(layout: Layout) -> dict | WrongData:
            run = SimpleNamespace(layout=layout, problem=tiny.problem, reader=SimpleNamespace(root=roots[layout.rank]))
            try:
                return Run.fingerprints(run)
            except WrongData as error:
                return error

        return in_threads(monkeypatch, Layout(2), on)

    assert read(tiny.data, tiny.data) == [load_manifest(tiny.data, tiny.problem).fingerprints] * 2
    missing = f"{tmp_path}/nowhere/manifest.json: no manifest: found no folder"
    for roots, begin in (
        ((tiny.data, tmp_path / "nowhere"), f"on rank 1: {missing}"),
        ((tmp_path / "nowhere",) * 2, missing),
    ):
        found = read(*roots)
        assert all(error.everywhere and str(error).startswith(begin) for error in found), found


def test_a_run_that_cannot_write_its_weights_has_its_time(tiny, events, tmp_path):
    (tmp_path / "weights").write_text("")
    done = tiny.train(tmp_path / "result_0.txt")
    assert done.returncode == 0
    assert "final weights not written" in done.stderr
    assert events(tmp_path / "result_0.txt")[-1].metadata["status"] == "success"


TWICE = f"""
import sys
sys.path[0] = {str(ROOT)!r}
from implementations.pytorch import train
from implementations.pytorch.scaffold.task import Task
Task.evaluations_per_epoch = 2
sys.exit(train.main(sys.argv[1:]))
"""


@pytest.fixture
def twice(endless, tmp_path) -> Tiny:
    """The endless problem, whose runs evaluate twice an epoch."""
    script = tmp_path / "twice.py"
    script.write_text(TWICE)
    return replace(endless, script=script, warm=None)


def of(found, key: str, name: str = "epoch_num") -> list:
    """The metadata of events with a key."""
    return [e.metadata[name] for e in found if e.key == key]


def test_a_run_may_evaluate_several_times_an_epoch(twice, endless, tmp_path):
    """Two steps of 4 and 3 samples are an epoch; each is a part. The split is proved when all of it was read, and
    evaluations in between change nothing that is trained."""
    more, parts = ("--rehearsal-seed", "7", "epochs=2"), [0.5, 1, 1.5, 2]
    found = twice.ran(tmp_path / "result_0.txt", *more, code=1)
    for key in ("epoch_start", "tracked_stats", "epoch_stop", "eval_start", "eval_stop", "eval_accuracy"):
        assert of(found, key) == parts
    assert of(found, "epoch_stop", "samples_count") == [4, 3, 4, 3]
    assert of(found, "eval_stop", "samples_count") == [4] * 4
    names = [e.key for e in found if e.key in ("epoch_stop", "eval_stop", "dataset_fingerprint")]
    first = ["epoch_stop", "eval_stop", "dataset_fingerprint", "epoch_stop", "dataset_fingerprint", "eval_stop"]
    assert names == [*first, *["epoch_stop", "eval_stop"] * 2]
    assert of(found, "dataset_fingerprint", "split") == ["validation", "train"]
    assert of(found, "dataset_fingerprint", "samples_count") == [4, 7]
    assert found[-1].metadata["epoch_num"] == 2 and "after 2 epochs, wanted 2.0" in found[-1].metadata["reason"]
    once = endless.ran(tmp_path / "once.txt", *more, code=1)
    scores = [values(events, "eval_accuracy") for events in (once, found)]
    assert len(scores[0]) == 2 and scores[1][1::2] == scores[0]


def test_a_run_of_several_evaluations_resumes_at_a_whole_epoch(twice, log, folder):
    """Checkpoints are of whole epochs: what was trained of the next one is trained again, and proved no second time."""
    more = ("--checkpoint", str(folder), "--resume", "epochs=3")
    with twice.start(log, *more) as process:
        comes_to(process, log, "eval_accuracy", 3)
        process.kill()
    (at,) = folder.glob("epoch_*")
    assert at.name in ("epoch_000001", "epoch_000002")
    found = twice.ran(log, *more, code=1)
    (again,) = of(found, "resumed")
    assert again == int(at.name[-6:])
    index = next(i for i, e in enumerate(found) if e.key == "resumed")
    assert of(found[index:], "eval_accuracy") == [again + part / 2 for part in range(1, 7 - 2 * again)]
    assert of(found, "dataset_fingerprint", "split") == ["validation", "train"]
