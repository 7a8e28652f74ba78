"""The order in which perf/ starts processes and measures, with stand-ins for what takes time."""

from pathlib import Path

import pytest

from perf import train_step, unet
from perf.unet import REFERENCE, TEXTBOOK, WIDE, Setting, take_turns, times_as_fast


@pytest.fixture
def calls(monkeypatch):
    done = []

    class Worker:
        def __init__(self, side, setting, folder):
            self.name = f"{side} {setting.precision}"
            done.append(f"start {self.name}")

        def step(self):
            done.append(self.name)

        def close(self):
            done.append(f"end {self.name}")
            return self.name

    monkeypatch.setattr(unet, "Worker", Worker)
    return done


def test_on_a_cpu_sides_take_turns(calls):
    workers, results = take_turns(Setting(5, "float32", 1, "cpu"), [REFERENCE, TEXTBOOK], 2, Path())
    a, b = "reference float32", "textbook float32"
    assert calls == [f"start {a}", f"start {b}", a, b, a, b, f"end {a}", f"end {b}"]
    assert list(workers) == list(results) == [REFERENCE, TEXTBOOK]


def test_on_a_gpu_a_side_has_its_memory_alone(calls):
    _, results = take_turns(Setting(8, "bfloat16", 1, "cuda"), [REFERENCE, TEXTBOOK], 2, Path())
    names = ["reference bfloat16", "textbook bfloat16", "textbook float32"]
    assert calls == [call for name in names for call in (f"start {name}", name, name, f"end {name}")]
    assert results == dict(zip((REFERENCE, TEXTBOOK, WIDE), names, strict=True))


def test_ratios_are_of_neighbours_where_there_are_any():
    mine, other = [1.0, 2.0, 4.0], [3.0, 2.0, 4.0]
    assert times_as_fast(mine, other, "cpu") == 1
    assert times_as_fast(mine, other, "cuda") == 1.5


def test_all_readers_fork_before_anything_is_measured(monkeypatch):
    done = []
    monkeypatch.setattr(train_step, "readers", lambda problem, *_: done.append(f"fork {problem.name}"))
    monkeypatch.setattr(train_step, "measure", lambda problem, *_: done.append(problem.name))
    monkeypatch.setattr("sys.argv", ["train_step.py", "--problem", "smoke", "--problem", "scale6", "device=cpu"])
    train_step.main()
    assert done == ["fork smoke", "fork scale6", "smoke", "scale6"]
