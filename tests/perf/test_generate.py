"""What the official size takes follows from times in which no instance is measured for the first time."""

from dataclasses import replace

import pytest

from benchmark.problem import load_problem
from benchmark.scaffold.volume import frame
from perf import generate


def test_every_instance_is_known_before_a_time_is_taken(monkeypatch, capsys):
    few = {"categories": 2, "instances": 10, "fractals": 2, "train_samples": 7, "validation_samples": 3}
    problem = replace(load_problem("scale6"), **few)
    frame.cache_clear()
    known, seconds = [], iter([3e-3, 1e-3, 5e-3])
    monkeypatch.setattr(generate, "seconds_each", lambda *_: known.append(frame.cache_info().currsize) or next(seconds))
    generate.project(problem, 1.0)
    assert known == [20] * 3
    assert "ns a point, 7.63 ns a voxel, hashed" in capsys.readouterr().out  # 2 ms of 64^3 voxels


@pytest.mark.parametrize(("scale", "projected"), [(5, 0), (6, 1)])
def test_too_few_points_cannot_be_timed(monkeypatch, capsys, scale, projected):
    asked = []
    for name in ("compare", "stored"):
        monkeypatch.setattr(generate, name, lambda *_: None)
    monkeypatch.setattr(generate, "project", lambda *_: asked.append(1))
    monkeypatch.setattr("sys.argv", ["generate.py", "--scales", str(scale)])
    generate.main()
    assert len(asked) == projected and ("scale11 from scale 6 on" in capsys.readouterr().out) != projected
