"""`train.py --describe` says what a run would log, and `--head` logs it; neither touches the data."""

import json

import pytest

from benchmark.config import shallow
from benchmark.launch import usable_cores
from benchmark.problem import load_problem
from benchmark.run.options import OPTIONAL
from implementations.pytorch import train
from implementations.pytorch.config import config_path, resolve
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.task import config_class
from tests.support.lines import values
from tests.support.settings import load_config


def described(tiny, *more: str, ranks: int = 1, env: dict | None = None) -> dict:
    """What a description says; nothing else is printed."""
    done = tiny.train(tiny.data / "nothing.txt", "--data", "nowhere", "--describe", *more, ranks=ranks, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    assert not (tiny.data / "nothing.txt").exists()
    return json.loads(line)


def test_a_description_is_of_the_run(tiny):
    """tests/benchmark/run/test_describe.py has its fields."""
    found = described(tiny, "threads=1")
    config = resolve(load_config(Config, tiny.config, "threads=1"), usable_cores(), 1)
    assert found["settings"] == json.loads(json.dumps(shallow(config)))
    assert (found["implementation"], found["config_digest"]) == ("pytorch", config.digest())
    assert "config/config.yaml" in found["files"] and (found["ranks"], found["nodes"]) == (1, 1)
    assert found["device"] == config.device and found["options"] == list(OPTIONAL)
    assert found["framework"] == f"PyTorch {found['software']['torch']}"
    assert {"threads", "layout", "device"} <= set(found["machine_settings"]) <= set(found["settings"])
    assert not {"batch_size", "learning_rate", "precision", "epochs"} & set(found["machine_settings"])


@pytest.mark.parametrize(
    ("more", "ranks"),
    [
        (("--stage", "disk", "--checkpoint", "checkpoints", "workers=1"), 1),
        (("--layout", "1,2,1,1", "sharding=fsdp"), 2),
    ],
)
def test_a_run_loads_what_was_described(tiny, tmp_path, monkeypatch, more, ranks):
    """Whatever a run loads for its options alone; harness/test_submit.py compares all else with the log."""
    monkeypatch.chdir(tmp_path)
    before = described(tiny, *more, ranks=ranks)
    found = {e.key: e for e in tiny.ran(tmp_path / "result_0.txt", *more, ranks=ranks)}
    assert found["source"].metadata["files"] == before["files"]
    assert found["source"].metadata["config"] == before["config_file"]
    assert found["config_digest"].value == before["config_digest"]
    assert list(found["layout"].value.values()) == before["layout"]


@pytest.mark.parametrize("name", ["smoke", "cosmoflow-mini", "deepcam-mini"])
def test_every_workload_describes_itself_without_its_data(name, capfd):
    assert train.main(["--describe", "--problem", name, "device=cpu", "compile=false", "precision=float32"]) == 0
    out, err = capfd.readouterr()
    found, problem = json.loads(out), load_problem(name)
    assert (found["problem"], found["problem_digest"], err) == (name, problem.digest(), "")
    assert found["config_file"] == f"implementations/pytorch/configs/{name}.yaml"
    assert found["settings"].keys() == load_config(config_class(problem.workload), config_path(name)).fields().keys()


def test_a_head_ends_where_the_clock_would_start(tiny, events, tmp_path):
    """It is that of a run; no entry of a ledger is made, no data is read, and no weights are kept."""
    log = tmp_path / "head" / "result_0.txt"
    done = tiny.train(log, "--head", ranks=2)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found, whole = events(log), tiny.ran(tmp_path / "result_0.txt", ranks=2)
    assert found[-1].key == "init_stop" and not [e for e in found if e.key in ("run_start", "ledger", "run_stop")]
    assert sorted(path.name for path in log.parent.iterdir()) == ["environment_0.json", "result_0.txt"]
    names = [e.key for e in whole]
    assert [e.key for e in found] == [key for key in names[: names.index("init_stop") + 1] if key != "ledger"]
    for key in ("source", "config_digest", "hyperparameters", "problem_digest", "devices", "layout", "parameter_count"):
        assert values(found, key) == values(whole, key)
