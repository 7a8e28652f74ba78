"""From an epoch to the target: epochs by the reference points, and errors that are combined."""

import math
import statistics
from dataclasses import replace

import pytest

from benchmark.problem import load_problem
from perf.projection.machine import Errors, load_system
from perf.projection.search import best_of
from perf.projection.target import KINDS, assumed, combined, deviations, epochs_of, target_row
from perf.settings import reference_settings
from rules.current import current
from rules.edition import load

SMOKE, H200 = load_problem("smoke"), load_system("dgx-h200")


def test_epochs_are_those_of_the_reference_s_runs():
    found = epochs_of(SMOKE, 4)
    runs = load(current()).points("scaffold", "smoke")[4].epochs
    assert runs == (4, 4, 4, 4, 4, 5, 5, 5, 5, 5) and found.origin == "10 runs of the reference at batch size 4"
    half = 2.262 * statistics.stdev(runs) / math.sqrt(10)  # Student's, 9 degrees of freedom
    assert (found.expected, found.low, found.high) == pytest.approx((4.5, 4.5 - half, 4.5 + half), rel=1e-3)
    for problem, batch in (("smoke", 3), ("smoke", 32), ("scale11", 4)):  # without points
        assert epochs_of(load_problem(problem), batch) is None


def test_epochs_may_be_assumed():
    assert (assumed(4, 9).expected, assumed(4, 9).origin) == (6, "assumed")
    assert assumed(5, 5).low == 5
    for wrong in ((0, 4), (7, 4), (4, math.inf)):
        with pytest.raises(ValueError, match=f"--epochs: found {wrong[0]} {wrong[1]}, wanted the least and the most"):
            assumed(*wrong)


def test_independent_errors_add_up_as_squares():
    expected, low, high = combined(10.0, [(-0.3, 0.3), (-0.4, 0.0)])
    assert (expected, low, high) == pytest.approx((10, 10 * math.exp(-0.5), 10 * math.exp(0.3)))
    assert combined(10.0, []) == (10, 10, 10)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_of_a_kind_are_scaled_and_back(kind):
    better = H200.scaled(kind, 2)
    assert better != H200 and better.scaled(kind, 0.5) == H200
    assert sum(better != H200.scaled(other, 2) for other in KINDS) == len(KINDS) - 1


@pytest.mark.slow
def test_a_row_to_the_target():
    config = reference_settings("smoke", ["precision=bfloat16", "batch_size=4"])
    found = best_of(SMOKE, config, H200, (1, 1, 1, 1))
    row = target_row(SMOKE, H200, found, assumed(4, 9))
    assert row["hours"] == pytest.approx(6 * found.epoch / 3600) == row["node_hours"]
    assert row["kwh"] == pytest.approx(10.2 * row["node_hours"])
    assert row["hours_low"] < row["hours"] * 4 / 6 and row["hours_high"] > row["hours"] * 9 / 6
    changes = deviations(SMOKE, H200, found)
    assert set(changes) == set(KINDS) and changes["link"] == (0, 0)  # one rank
    assert all(better <= 0 <= worse for better, worse in changes.values())
    unknown = target_row(SMOKE, replace(H200, node_kw=0, errors=Errors()), found, None)
    assert (unknown["hours"], unknown["kwh"]) == (None, None)
    assert unknown["epoch_s_low"] == unknown["epoch_s"] == unknown["epoch_s_high"]
    assert target_row(SMOKE, replace(H200, node_kw=0), found, assumed(4, 9))["kwh"] is None
