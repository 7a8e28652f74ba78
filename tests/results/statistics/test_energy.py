"""Energy of sets: to the target, by sample, as power; beside time in every table; never mixed."""

import csv
import io
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from compliance.engine import judge
from results.html.across import energies, looks_of
from results.statistics.contrast import contrast
from results.statistics.energy import against, energy
from results.statistics.result import seconds_between
from results.statistics.result import summarize as results_of
from results.statistics.score import TrimmedMean

SECONDS = (50.0, 40.0, 44.0, 60.0, 41.0)


def five(new_log, watts, seed=900, **facts):
    return [new_log.scaffold(s, epochs=4, seed=seed + i, watts=watts, **facts) for i, s in enumerate(SECONDS)]


def one(tree, logs, **place):
    (r,) = results_of(judge([tree.set(logs, **place)]), as_logged=True)
    return r


@pytest.fixture
def said(run):
    """What the summary says."""
    return lambda *args: run(*args)[1].out


def test_joules_are_the_integral_and_trimmed_as_time_is(tree, new_log):
    r = one(tree, five(new_log, 400.0))
    assert r.energy.joules.mean == pytest.approx(400 * r.fom, rel=1e-9)
    assert (r.energy.joules.low, r.energy.joules.high) == pytest.approx(
        (400 * r.score.trimmed.low, 400 * r.score.trimmed.high), rel=1e-9
    )
    assert (r.energy.tier, r.energy.watts) == ("node", pytest.approx(400, rel=1e-9))
    seconds = [row.training_ms / 1000 for row, used in zip(r.rows, r.mask, strict=True) if used]
    assert r.energy.trained == pytest.approx(sum(400 * s / 400 for s in seconds) / 3, rel=1e-9)
    seconds = [row.evaluation_ms / 1000 for row, used in zip(r.rows, r.mask, strict=True) if used]
    assert r.energy.evaluated == pytest.approx(sum(400 * s / 80 for s in seconds) / 3, rel=1e-9)


def test_energies_of_runs_that_end_together_are_as_uncertain_as_times(tree, new_log):
    """As found: at one power, times that could not be told apart had energies that could."""

    def runs(seed, *seconds):
        return [new_log.scaffold(s, epochs=4, seed=seed + i, watts=400.0) for i, s in enumerate(seconds)]

    a = one(tree, runs(1, 60.0, 60.1, 60.2, 60.3, 60.4))
    b = one(tree, runs(9, 59.0, 59.1, 59.2, 59.3, 60.1), org="b")
    assert contrast(a.energy.runs, b.energy.runs).distinguishable
    assert a.score.trimmed.widened and a.energy.joules.widened
    assert a.energy.joules.high == pytest.approx(400 * a.score.trimmed.high, rel=1e-6)
    times = contrast(a.seconds, b.seconds, (seconds_between(a.rows), seconds_between(b.rows)))
    energies_of = against(a.energy, b.energy)
    assert (energies_of.low, energies_of.high) == pytest.approx((times.low, times.high), rel=1e-6)
    assert not times.distinguishable and not energies_of.distinguishable


def test_without_energy_nothing_is_said_of_it(tree, new_log, said):
    tree.set(five(new_log, None))
    for form in ("text", "markdown", "html"):
        assert "energy, kJ" not in said(tree.root, "--format", form).replace('"energy, kJ"', "")
    assert "energy kJ" not in said(tree.root)


def test_energy_stands_beside_time_in_every_table(tree, new_log, said):
    tree.set(five(new_log, 400.0), org="some")
    tree.set(five(new_log, None, seed=500), org="none")
    text = said(tree.root)
    assert "energy, kJ" in text and "18.0 kJ, 95 % 11.6 to 24.4; mean power 400 W" in text
    assert "; node counters" in text
    markdown = said(tree.root, "--format", "markdown")
    assert (
        "energy, kJ | 95 % interval, kJ | mean power, W | energy by" in markdown
        and "| 18.0 | 11.6 to 24.4 | 400 | node |" in markdown
    )
    none, some = csv.DictReader(io.StringIO(said(tree.root, "--format", "csv")))
    assert (some["energy_tier"], float(some["joules"]), none["joules"]) == ("node", 18000.0, "")
    rows = json.loads(said(tree.root, "--format", "json"))["results"]
    assert {row["org"]: row["watts"] for row in rows} == {"some": pytest.approx(400), "none": None}
    assert "energy, kJ" in said(tree.root, "--view", "analysis")
    html = said(tree.root, "--format", "html")
    assert "mean power, W" in html and "18.0 kJ, 95 % 11.6 to 24.4" in html


def test_time_against_energy_is_a_chart_for_each_way(tree, new_log):
    for org, watts, seed in (("a", 400.0, 1), ("b", 500.0, 50), ("c", None, 90)):
        tree.set(five(new_log, watts, seed), org=org)
    results = tree.results()
    found = [chart for chart in energies(results, looks_of(results)) if chart]
    assert [chart.caption for chart in found] == [
        "Energy to the target against time, by node counters, closed division"
    ]
    assert [row[1] for row in found[0].tables["points"].rows] == ["a/box", "b/box"]


def measured(joules=100.0, converged=True, tier="node", **more):
    """A run of 10 s, as a row of a table."""
    parts = {"training_joules": 80.0, "trained": 40.0, "evaluation_joules": 20.0, "eval_samples": 5.0}
    row = {"total_ms": 10_000, "evaluations": 2.0, **parts, **more}
    return SimpleNamespace(joules=joules, converged=converged, energy_tier=tier, **row)


def test_figures_of_energy_by_hand():
    rows = [measured(joules) for joules in (0.5, 500.0, 300.0, 200.0, 400.0)]
    found = energy(rows, [False, False, True, True, True])
    assert (found.joules.mean, found.watts, found.runs) == (300, pytest.approx(30), (0.5, 500, 300, 200, 400))
    assert (found.trained, found.evaluated) == (2, 2)
    weak = energy([measured(j) for j in (100.0, 500.0, 900.0, 900.0, 100.0)], [True] * 5, weak=True)
    assert weak.joules == TrimmedMean(5, 0, 500) and weak.words == "node counters"


@pytest.mark.parametrize("joules", [None, 0.0])
def test_a_run_without_energy_leaves_none_but_for_one_that_failed(joules):
    rows = [measured(), measured(joules), measured()]
    assert energy(rows, [True] * 3) is None
    rows[1] = measured(joules, converged=False, tier=None)
    assert energy(rows, [True, False, True]).runs == (100, math.inf, 100)


def test_nothing_to_average_and_unlike_ways_are_no_energy():
    assert energy([measured()], [False]) is energy([], []) is energy([measured(tier="guess")], [True]) is None
    assert energy([measured(), measured(tier="meter")], [True] * 2) is None


def test_joules_a_sample_need_both_of_every_run():
    for name, lacking in (("training_joules", "trained"), ("eval_samples", "evaluated"), ("evaluations", "evaluated")):
        found = energy([measured(), measured(**{name: None})], [True, True])
        assert [known for known in ("trained", "evaluated") if getattr(found, known) is None] == [lacking]
    assert energy([measured(trained=0.0)], [True]).trained is None
    assert energy([measured(training_joules=0.0)], [True]).trained == 0


def test_a_ratio_of_energies_is_one_of_those_shown_together():
    a = energy([measured(j) for j in (100.0, 110.0, 120.0, 130.0, 140.0)], [True] * 5)
    b = energy([measured(j) for j in (200.0, 240.0, 250.0, 230.0, 270.0)], [True] * 5)
    assert against(a, b) == contrast(a.runs, b.runs)
    assert against(a, b, 3) == contrast(a.runs, b.runs, together=3)
    assert against(a, None) is against(None, b) is against(None, None) is None
    assert against(a, replace(b, tier="meter")) is None
    assert against(replace(a, tier="rehearsal"), replace(b, tier="rehearsal")) is None
