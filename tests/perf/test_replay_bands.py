"""Bands of replays in other ways, with runs that a stand-in makes."""

import argparse
import ast

import pytest

from harness.auditing.logged import Epoch
from perf import replay_bands


def test_the_band_is_twice_the_largest_honest_distance(monkeypatch, capsys):
    made = []

    def trained(options, folder, seed, ranks, settings, implementation="pytorch"):
        made.append((seed, ranks, tuple(settings)))
        off = {"pytorch": 0.01 if ranks == 2 else 0.0, "minimal": 0.02}[implementation]
        loss = 1.0 + off + 0.1 * (seed - (1 << 62)) / 7919
        return [
            Epoch(number, loss, 0.5 + off / 10, {}, early=1 + off / 1000) for number in range(1, options.epochs + 1)
        ]

    monkeypatch.setattr(replay_bands, "trained", trained)
    assert replay_bands.main(["--seeds", "2", "--epochs", "2", "--implementations", "minimal"]) == 0
    out, err = capsys.readouterr()
    (line,) = (line for line in out.splitlines() if line.startswith("replay: "))
    assert ast.literal_eval(line.removeprefix("replay: ")) == {1: [0.04, 0.004], 2: [0.04, 0.004]}
    assert "\nreplay_early: 4.0e-05\n" in out
    assert len(made) == 2 * (2 + len(replay_bands.WAYS))
    assert out.startswith("another seed: loss 10.000%, score 0.00000; loss 10.000%, score 0.00000; first steps ")
    assert "seed 2 of 2: minimal, float32: loss 1.818%, score 0.00200; loss 1.818%, score 0.00200; first" in err


@pytest.mark.slow
def test_a_way_that_a_problem_refuses_is_named_with_the_reason(tmp_path):
    options = argparse.Namespace(problem="deepcam-mini", data=tmp_path, problems=None, config=None, epochs=1)
    with pytest.raises(ValueError) as raised:
        replay_bands.trained(options, tmp_path, 1 << 62, 1, ["layout=[1,2,1,1]"])
    assert "found 0 epochs, wanted 1: train.py: layout" in str(raised.value)
