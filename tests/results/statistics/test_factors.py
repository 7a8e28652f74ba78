"""The ratio of two systems' times as a product."""

import math
from dataclasses import replace

import pytest

from results.runs.columns import Row
from results.statistics.factors import (
    STAGED_RATE,
    Measured,
    at_least_half_a_step,
    factor,
    factors,
    measured,
    squared_error,
)
from results.statistics.student import WIDEST, t_quantile
from results.tables.factors import against_the_fastest
from tests.results.statistics.test_predicted import ran

SIX = ["devices", "samples a second a device", "samples to the target", "evaluation", "staging", "rest"]


@pytest.fixture
def two(tree, new_log):
    """A and B: B has twice the nodes and more epochs."""
    for org, nodes, first, epochs in (("a", 1, 100, 5), ("b", 2, 50, 6)):
        facts = {"number_of_nodes": nodes}
        tree.set([new_log.scaffold(first + i, epochs=epochs + i % 2, seed=first + i, **facts) for i in range(7)], org)
    return tree.results()


def test_the_product_is_exact_with_dropped_and_failed_runs(tree, new_log):
    for org, epochs in (("a", 4), ("b", 5)):
        facts = [{"epochs": epochs + i % 3, "seed": ord(org) + i, "reach": org == "a" or i < 9} for i in range(10)]
        tree.set([new_log.scaffold(40 + 3 * i, **each) for i, each in enumerate(facts)], org=org)
    a, b = tree.results()
    found, turned = factors(a, b), factors(b, a)
    assert [f.name for f in found] == SIX
    assert math.prod(f.value for f in found) == pytest.approx(a.fom / b.fom, rel=1e-12)
    assert [f.value * g.value for f, g in zip(found, turned, strict=True)] == pytest.approx([1] * 6, rel=1e-12)


def test_an_interval_is_students_with_welchs_degrees():
    spread = (0.1, -0.1, 0.0)  # a squared standard error of 1 / 300, two degrees of freedom
    found = factor(Measured("x", 2.0, -1, spread), Measured("x", 4.0, -1, spread))
    half = t_quantile(0.975, 4) * math.sqrt(2 / 300)
    assert (found.low, found.value, found.high) == pytest.approx((2 * math.exp(-half), 2, 2 * math.exp(half)))


def test_each_factor_is_what_it_says(two):
    b, a = two  # the fastest first
    devices, rate, number, *_ = found = factors(a, b)
    assert against_the_fastest(two) == [(b, [(a, found)])] and against_the_fastest([a]) == []
    assert (devices.value, devices.a, devices.b, devices.low) == (2.0, 4.0, 8.0, None)
    assert rate.value == pytest.approx(rate.b / rate.a) and rate.a == pytest.approx(
        a.mean("trained") / a.mean("training_ms") * 1000 / 4
    )
    assert (number.a, number.b) == (a.mean("trained"), b.mean("trained"))
    assert number.low < number.value < number.high and rate.low < rate.value < rate.high


def test_a_run_a_thousand_times_slower_still_has_factors(tree, new_log):
    """As found: the exponential of half an interval was too large for a number."""
    slow = [new_log.scaffold(seconds, seed=i) for i, seconds in enumerate((50, 51, 52, 53, 200_000))]
    tree.set(slow, org="a")
    tree.set(new_log.five(60, seed=10), org="b")
    found = factors(*tree.results())
    assert [f.name for f in found] == SIX and all(f.high is None or f.low <= f.value <= f.high for f in found)
    assert math.log(found[1].high / found[1].value) == pytest.approx(WIDEST)


def test_what_every_run_shares_has_no_smaller_error_than_half_a_step(tree, new_log):
    for org, epochs in (("a", 10), ("b", 5)):
        tree.set(new_log.five(50, ord(org), epochs), org=org)
    number = factors(*tree.results())[2]
    assert number.low is not None and number.high / number.low > 1.2


@pytest.mark.parametrize(
    ("evaluations", "deviations", "error"),
    [
        (10, [0.0] * 5, 0.05**2 / 5),
        (10, [0.070, -0.070, 0.0, 0.0, 0.0], 0.05**2 / 5),  # a standard deviation of 0.0495
        (10, [0.072, -0.072, 0.0, 0.0, 0.0], 0.072**2 / 10),  # of 0.0509
        (None, [0.0] * 5, 0.5**2 / 5),
    ],
)
def test_a_standard_deviation_is_half_a_step_at_least(evaluations, deviations, error):
    rows = [Row(None, evaluations=evaluations)]
    assert squared_error(at_least_half_a_step(deviations, rows)) == pytest.approx(error)
    assert at_least_half_a_step([0.5, -0.5, 0.0], [Row(None, evaluations=1)]) == [0.5, -0.5, 0.0]


def test_errors_are_those_of_runs_and_take_two():
    _, rate, number = measured(ran(64, 8, 6400, 0.5, runs=5, spread=0.1), ("evaluation", "staging", "rest"))[:3]
    assert number.deviations == pytest.approx([-0.2, -0.1, 0, 0.1, 0.2])
    assert rate.deviations == pytest.approx([0] * 5, abs=1e-5)  # runs take as long as their samples
    assert [bool(measured(ran(64, 8, 6400, 0.5, runs=runs), ())) for runs in (1, 2)] == [False, True]
    assert [squared_error(d) for d in ((), (0.3,), (0.1, -0.1))] == [0, 0, pytest.approx(0.01)]


def test_evaluations_beside_training_are_no_factor(tree, new_log):
    for org, blocks in (("a", 10), ("b", 12)):
        logs = [new_log.openfold(seed=ord(org) + i, blocks=blocks + i % 3) for i in range(10)]
        tree.set(logs, org=org, benchmark="openfold", edition="hpc_results_v3.0")
    a, b = tree.results()
    assert [f.name for f in factors(a, b)] == ["devices", STAGED_RATE, "samples to the target"]


def test_where_one_set_logs_no_staging_both_have_it_in_their_rate(tree, new_log):
    """As found: a set that staged beside training had a slow device and a staging factor below 1."""
    for org in "ab":
        logs = [new_log.scaffold(40 + 3 * i, epochs=4 + i % 3, seed=ord(org) + i) for i in range(5)]
        for log in logs if org == "b" else ():
            log.lines = [line for line in log.lines if "staging" not in line]
        tree.set(logs, org=org)
    a, b = sorted(tree.results(), key=lambda r: r.org)
    found = factors(a, b)
    assert [f.name for f in found] == ["devices", STAGED_RATE, "samples to the target", "evaluation", "rest"]
    assert math.prod(f.value for f in found) == pytest.approx(a.fom / b.fom, rel=1e-12)
    assert found[1].a == pytest.approx(a.mean("trained") / (a.mean("training_ms") + a.mean("staging_ms")) * 1000 / 4)


def test_a_set_without_score_or_devices_has_no_factors(two):
    b, a = two
    assert factors(replace(a, why="failed the check"), b) == [] == factors(a, replace(b, why="x"))
    assert factors(replace(a, rows=tuple(row._replace(units=None) for row in a.rows)), b) == []
    assert factors(replace(a, rows=tuple(row._replace(trained=None) for row in a.rows)), b) == []
    assert factors(a, replace(b, group=("v1.0", "deepcam", *b.group[2:]))) == []
