import importlib.util

import pytest

from benchmark.tuning.campaign import Axis, campaign_of
from benchmark.tuning.folder import freeze, open_folder
from harness import tune
from harness.optuna_sampler import ask, value_of

VALUES = {
    "problem": "smoke",
    "batch_size": 2,
    "space": {
        "learning_rate": {"low": 1e-4, "high": 1e-2, "scale": "log"},
        "warmup_epochs": {"values": [0, 1]},
        "n": {"low": 1, "high": 5, "integer": True},
    },
    "trials": 4,
    "budget": {"epochs": 8},
    "sampler": "optuna",
}
HERE = importlib.util.find_spec("optuna")


def test_without_optuna_one_line_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / "a.yaml").write_text(campaign_of(VALUES, "").text)
    assert tune.main([str(tmp_path / "a.yaml"), "--org", "Us", "--system", "laptop", "--out", str(tmp_path)]) == 2
    wanted = "tune.py: sampler: found no Optuna, wanted it installed for the sampler optuna: pip install optuna\n"
    assert capsys.readouterr().err == wanted


def test_what_is_proposed_is_rounded_as_points_are():
    assert value_of(Axis(1e-4, 1e-2, "log"), 0.00123456) == 0.001235
    assert value_of(Axis(1e-4, 1e-2, "log"), 0.0099999) == 0.01
    assert value_of(Axis(values=("a", "b")), 1) == "b" and value_of(Axis(1, 3, integer=True), 2) == 2


@pytest.mark.skipif(not HERE, reason="Optuna is not installed: pip install optuna")
def test_points_are_asked_for_and_entered(tmp_path):
    freeze(tmp_path, campaign_of(VALUES, ""))
    for index in range(3):
        ask(tmp_path, index)
    opened = open_folder(tmp_path)
    points = [opened.point(index) for index in range(3)]
    assert len({point["learning_rate"] for point in points}) == 3
    assert all(1e-4 <= point["learning_rate"] <= 1e-2 and point["n"] in range(1, 6) for point in points)
