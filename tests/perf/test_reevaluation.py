"""Bands of honest weights, as limits.yaml has them."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from benchmark.config import build
from harness.auditing.logged import Epoch
from implementations.pytorch.task import Evaluation
from implementations.pytorch_tools.reevaluation import Apart
from perf import reevaluation
from perf.reevaluation import held_out_band, reevaluation_band
from rules.bands import HeldOut, Reevaluation

SAME = Apart(0.0, 0.0, True)


def test_a_band_is_twice_the_largest_difference():
    found = [SAME, Apart(0.00123456, 1e-6, False), Apart(0.0001, 0.000200001, False)]
    text = reevaluation_band(found)
    band = build(Reevaluation, yaml.safe_load(text)["reevaluation"], "line")
    assert text.endswith("twice the largest of 3")
    assert (band.counts, band.score) == (0.00247, 0.000401)


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


@dataclass(frozen=True)
class Run:
    path: Path
    epochs: tuple[Epoch, ...]
    problem: str = "smoke"
    benchmark: str = "scaffold"


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """Two logs. Evaluations are as logged, and 0.002 and a count better without compiled kernels, and 0.01 better by
    data seed."""

    def evaluate(log, args, law, scratch):
        number = int(log.stem[-1])
        off = 0.002 * ("compile=false" in args.setting) + 0.01 * (args.data_seed or 0)
        run = Run(log, (Epoch(1, 1.0, 0.5 + number / 8, {"x": (100 + 20 * number,)}),))
        return run, Evaluation(run.epochs[0].score + off, {"x": [100 + 20 * number + (off > 0)]})

    monkeypatch.setattr(reevaluation.reevaluate, "evaluate", evaluate)
    paths = [tmp_path / f"result_{number}.txt" for number in range(2)]
    for path in paths:
        path.write_text("")
    return list(map(str, paths))


def test_ways_of_other_machines_make_a_band(logs, capsys):
    assert reevaluation.main(logs) == 0
    head, least, band = capsys.readouterr().out.splitlines()
    assert (head, least) == ("  smoke:", "    # weights of other runs, least: 16.667%, 0.125000")
    found = yaml.safe_load(band)["reevaluation"]
    assert (found["counts"], round(found["score"], 4)) == (0.0199, 0.004) and band.endswith("of 12")


def test_held_out_scores_make_a_band(logs, capsys):
    assert reevaluation.main([logs[0], "--data-seeds", "1", "2"]) == 0
    assert capsys.readouterr().out.startswith("  smoke:\n    held_out: {mean: 0.015, spread: 0.0")
    assert reevaluation.main([logs[0], "--data-seeds", "1"]) == 2
    assert capsys.readouterr().err.endswith("smoke: found 1 evaluation, wanted 2 or more\n")
