import platform
import sys
from pathlib import Path

import pytest

from benchmark.environment.facts import fact
from benchmark.environment.manifest import NODE, RUN, digest_of
from benchmark.launch import Launch
from benchmark.run import environment
from benchmark.run.environment import environment_of_process, facts_of_run, launched, questions_asked

ALONE = Launch(0, 1, 0, 1, "none")
CONFIG = (Path("a.yaml"), b"epochs: 1\n")


@pytest.mark.slow
def test_a_run_has_its_own_facts_and_those_of_its_node(tmp_path):
    run, (node,) = environment_of_process(ALONE, CONFIG, tmp_path, {"torch": fact("torch", lambda: {"a": "b"})})
    assert list(run) == list(RUN) and set(node.facts) <= set(NODE)
    assert node.facts["torch"] == {"value": {"a": "b"}, "origin": "torch"}
    assert (node.host, node.digest) == (platform.node(), digest_of(node.facts))
    assert node.facts["kernel"]["value"] and run["config"] == {"value": "epochs: 1\n", "origin": "a.yaml"}
    assert len(run["command"]["value"]) == len(sys.argv)


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
