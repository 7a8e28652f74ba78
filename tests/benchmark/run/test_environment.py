"""What of a run's environment is left out. tests/benchmark/run/test_process.py has all of a run."""

from pathlib import Path

from benchmark.launch import Launch
from benchmark.run import environment
from benchmark.run.environment import facts_of_run, launched, questions_asked

ALONE = Launch(0, 1, 0, 1, "none")


def test_a_config_that_is_too_large_or_no_text_is_left_out(monkeypatch):
    monkeypatch.setattr(environment, "MOST_CONFIG", 10)
    for data, said in ((b"x" * 10, None), (b"x" * 11, "11 bytes, more than 10"), (b"\xff", "utf-8")):
        found = facts_of_run(ALONE, (Path("a.yaml"), data), code=dict)["config"]
        assert found["value"] == (None if said else "x" * 10)
        assert said is None or said in found["origin"]


def test_the_launch_is_told_and_no_command_started_unasked():
    with questions_asked(False) as asked:
        assert asked.started == {}
    wanted = {"launcher": "slurm", "ranks": 8, "ranks_per_node": 4, "backend": "gloo"}
    assert launched(Launch(3, 8, 1, 4, "slurm"), "gloo") == wanted
