import hashlib

import pytest
import torch
from safetensors.torch import load_file

from benchmark.tree import weights_path
from implementations.pytorch.config import load_config
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.task import build_task
from implementations.pytorch.training.weights import save_weights, tensors_of

LAYOUTS = {"alone": (), "split and sharded": ("--layout", "1,2,1,1", "sharding=fsdp", "average_decay=0.9")}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_successful_run_keeps_the_weights_that_scored_and_says_so(tiny, events, tmp_path, layout):
    log = tmp_path / "result_0.txt"
    done = tiny.train(log, *layout, ranks=2 if layout else 1)
    assert done.returncode == 0, done.stderr
    found = events(log)
    *_, stop, weights = found
    data = weights_path(log).read_bytes()
    assert (stop.key, weights.key) == ("run_stop", "weights")
    assert weights.value == hashlib.sha256(data).hexdigest()
    kept = {"bytes": len(data), "path": "weights/result_0.safetensors"}
    assert {name: weights.metadata[name] for name in kept} == kept
    config = load_config(Config, tiny.config, [])
    model = build_task(tiny.problem, config).build_model()
    tensors = load_file(weights_path(log))
    assert {n: t.shape for n, t in tensors.items()} == {n: t.shape for n, t in model.state_dict().items()}
    (count,) = (e.value for e in found if e.key == "parameter_count")
    assert sum(t.numel() for t in tensors.values()) == count
    assert all(t.dtype == torch.float32 for t in tensors.values())


def test_a_run_without_success_keeps_none(endless, events, tmp_path):
    log = tmp_path / "result_0.txt"
    assert endless.train(log, "epochs=1").returncode == 1
    assert events(log)[-1].key == "run_stop"
    assert not weights_path(log).exists()


def test_whole_numbers_are_no_weights_and_buffers_are():
    model = torch.nn.BatchNorm2d(2)
    assert set(tensors_of(model)) == {"weight", "bias", "running_mean", "running_var"}


def test_a_place_that_takes_no_file_is_an_error_of_the_system(tmp_path):
    (tmp_path / "weights").write_text("")
    with pytest.raises(OSError):
        save_weights({"w": torch.zeros(2)}, tmp_path / "result_0.txt")


def test_a_run_that_cannot_write_its_weights_has_its_time(tiny, events, tmp_path):
    (tmp_path / "weights").write_text("")
    done = tiny.train(tmp_path / "result_0.txt")
    assert done.returncode == 0
    assert "final weights not written" in done.stderr
    assert events(tmp_path / "result_0.txt")[-1].metadata["status"] == "success"
