"""The command that scores classifiers that don't look at shape: of any workload, by its own module."""

import sys

import pytest

from benchmark import shortcut
from benchmark.deepcam import shortcut as deepcam


def test_each_kind_is_told_beside_the_target(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["shortcut.py", "--problem", "deepcam-mini", "--workers", "3"])
    monkeypatch.setattr(deepcam, "shortcuts", lambda problem, workers: {"naive": 0.25, "linear": workers / 10})
    shortcut.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(", the target is ")[0] for line in lines] == [
        "deepcam-mini naive: validation IoU 0.2500",
        "deepcam-mini linear: validation IoU 0.3000",
    ]


def test_an_unknown_problem_is_exit_2_and_one_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["shortcut.py", "--problem", "deepcam-min"])
    with pytest.raises(SystemExit, match="2"):
        shortcut.main()
    assert "did you mean 'deepcam-mini'" in capsys.readouterr().err
