"""What a command line asks for, decided before anything exists."""

import json
import re

import pytest

from benchmark.run.options import parse_options
from benchmark.tuning.folder import freeze
from implementations.pytorch.startup.setup import set_up
from rules.registry import Registry, Request, now
from tests.support.campaigns import campaign

TWO = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}


def options_of(log, *more: str):
    """The options of a run of smoke, on a processor."""
    needed = ["--problem", "smoke", "--data", "nowhere", "--log", str(log), "device=cpu", "precision=float32"]
    return parse_options(None, [*needed, *more])


@pytest.fixture
def setup(tmp_path, monkeypatch):
    """The setup of a command line, without a launcher."""
    for name in TWO:
        monkeypatch.delenv(name, raising=False)
    return lambda *more, name="result_0.txt": set_up(options_of(tmp_path / name, *more))


def test_settings_are_the_files_below_those_of_the_command_line(setup, tmp_path):
    found = setup("threads=3", "learning_rate=1e-2")
    config = found.task.config
    assert (config.threads, config.learning_rate, config.layout) == (3, 0.01, (1, 1, 1, 1))
    assert found.config_file.name == "smoke.yaml" and found.config_data == found.config_file.read_bytes()
    assert (found.trial, found.assigned, found.table, found.staging) == (None,) * 4
    assert found.task.problem.name == "smoke" and found.layout.ranks == 1
    path = tmp_path / "mine.yaml"
    path.write_text("{batch_size: 3, epochs: 7}")
    found = setup("--config", str(path), "epochs=9")
    assert (found.task.config.batch_size, found.task.config.epochs) == (3, 9)
    assert (found.config_file, found.config_data) == (path, b"{batch_size: 3, epochs: 7}")
    assert setup("--stage", str(tmp_path / "disk")).staging.root == tmp_path / "disk"
    assert not (tmp_path / "disk").exists()


def test_each_rank_has_its_place(setup, monkeypatch, capsys):
    for name, value in TWO.items():
        monkeypatch.setenv(name, value)
    found = setup("--layout", "1,2,1,1", "threads=0")
    assert (found.layout.rank, found.layout.place, found.launch.world_size) == (1, (0, 1, 0, 0), 2)
    assert setup().layout.extents == (2, 1, 1, 1) == setup().task.config.layout
    setup("batch_size=1")
    assert capsys.readouterr().err == ""  # rank 0 says that replicas are idle
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("LOCAL_RANK", "0")
    setup("batch_size=1")
    assert "1 of 2 replicas have no part of a batch of 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ranks", "settings", "said"),
    [
        ("1", ("batch_size=4", "accumulate=5"), ""),  # four parts of a sample
        ("2", ("batch_size=4", "accumulate=2"), ""),
        ("2", ("batch_size=3", "accumulate=4"), "1 of 2 replicas have no part of a batch of 1"),
    ],
)
def test_replicas_share_the_parts_of_a_batch(setup, monkeypatch, capsys, ranks, settings, said):
    for name, value in {"RANK": "0", "WORLD_SIZE": ranks, "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": ranks}.items():
        monkeypatch.setenv(name, value)
    setup("--problem", "deepcam-mini", *settings)
    found = capsys.readouterr().err
    assert said in found and bool(said) == bool(found)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--layout", "2,1,1,1"], "layout 2,1,1,1: found 1 ranks, wanted 2"),
        (["--config", "nowhere.yaml"], "nowhere.yaml: No such file or directory"),
        (["--registry", "nowhere.yaml", "--entry", "1"], "nowhere.yaml: found no registry that can be read"),
        (["--trial", "."], "beside the trial's campaign.json"),
        (["--batch-from-table", "nowhere.json:3"], "--batch-from-table: nowhere.json: found no table"),
    ],
)
def test_what_cannot_be_is_said(setup, more, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        setup(*more)


def test_a_trial_is_that_of_its_log(setup, tmp_path):
    freeze(tmp_path, campaign(space={"learning_rate": {"values": [1e-3]}}))
    assert setup("--trial", str(tmp_path), name="result_2.txt").trial.index == 2
    with pytest.raises(ValueError, match="found trial 4, wanted 0 to 3"):
        setup("--trial", str(tmp_path), name="result_4.txt")


def test_the_seed_of_a_registry_is_that_of_the_run(setup, tmp_path, monkeypatch):
    made, path = Registry("v1.0"), tmp_path / "registry.yaml"
    entry = made.draw(Request("Us", "laptop", "scaffold", "smoke", "a" * 64, "b" * 64), now(), "1" * 64)
    path.write_text(made.text)
    use = ("--registry", str(path), "--entry", "1")
    assert setup(*use, name="result_3.txt").assigned.seed == entry.seed(3)
    assert setup(*use, "--run", "5", name="log.txt").assigned.seed == entry.seed(5)
    assert setup(*use, "--describe").assigned is None  # which makes no run
    for name, value in TWO.items():
        monkeypatch.setenv(name, value)
    assert setup(*use).assigned is None  # rank 0 has it


def test_settings_of_a_table_are_below_the_command_lines(setup, tmp_path, capsys):
    rows = {
        f"smoke_{batch}": {"BS": batch, "Hyperparams": {"learning_rate": rate}, "Samples to converge": {"mean": 7}}
        for batch, rate in ((2, 1e-3), (4, 4e-3))
    }
    table = tmp_path / "hpo_table.json"
    table.write_text(json.dumps(rows))
    found = setup("--batch-from-table", f"{table}:4", "learning_rate=0.5")
    assert (found.task.config.batch_size, found.task.config.learning_rate) == (4, 0.5)
    assert found.table["over"] == ["learning_rate"] and found.table["batch"] == 4
    assert capsys.readouterr().err.startswith("train.py: settings for batch size 4 are measured")
