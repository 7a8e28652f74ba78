"""Bands of honest weights, as limits.yaml has them."""

import pytest
import yaml

from benchmark.config import build
from implementations.pytorch.auditing.logged import Epoch
from implementations.pytorch.auditing.reevaluation import Apart
from implementations.pytorch.task import Evaluation
from perf import reevaluation
from perf.reevaluation import held_out_band, reevaluation_band
from rules.bands import HeldOut, Reevaluation

SAME = Apart(0.0, 0.0, True)


def test_the_largest_difference_is_the_band_and_lies_within_it():
    found = [SAME, Apart(0.00123456, 1e-6, False), Apart(0.0001, 0.000200001, False)]
    line = reevaluation_band(found)
    band = build(Reevaluation, yaml.safe_load(line)["reevaluation"], "line")
    assert line.endswith("largest of 3")
    assert (band.counts, band.score) == (0.00124, 0.000201)


def test_equal_numbers_have_no_band():
    assert yaml.safe_load(reevaluation_band([SAME, SAME])) is None


def test_gains_have_a_mean_and_a_spread():
    band = build(HeldOut, yaml.safe_load(held_out_band([0.01, 0.02, 0.03]))["held_out"], "line")
    assert (band.mean, band.spread, band.runs) == (0.02, 0.01, 3)


@pytest.mark.parametrize(
    ("number", "text"), [(0.009999, "0.01"), (1.0, "1"), (0.001, "0.001"), (1.2301e-9, "1.24e-09")]
)
def test_rounding_goes_up(number, text):
    assert reevaluation._up(number) == text


def test_nothing_to_measure(tmp_path, capsys):
    assert reevaluation.main([str(tmp_path)]) == 2
    assert "found no log of a run with final weights" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seeds", "wanted"),
    [([], "  smoke:\n    # 1 re-evaluations gave the logged"), (["1", "2"], "  smoke:\n    held_out: {mean: 0.015,")],
)
def test_a_line_a_problem(tmp_path, capsys, monkeypatch, seeds, wanted):
    class Run:
        problem, benchmark = "smoke", "scaffold"
        epochs = (Epoch(1.0, 0.5, {"x": (1,)}),)

    def evaluate(log, args, law, scratch):
        value = 0.5 if args.data_seed is None else 0.5 + args.data_seed / 100
        return Run, Evaluation(value, {"x": [1]})

    monkeypatch.setattr(reevaluation.reevaluate, "evaluate", evaluate)
    log = tmp_path / "result_0.txt"
    log.write_text("")
    assert reevaluation.main([str(log), *(["--data-seeds", *seeds] if seeds else [])]) == 0
    assert capsys.readouterr().out.startswith(wanted)
