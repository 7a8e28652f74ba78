"""One run as a row: from logs to numbers."""

import math

import pytest

from compliance.engine import judge
from results.runs.row import first, ratio, settings
from results.runs.table import named_sets, rows_of


def rows(path, edition=None):
    """The rows of everything below a path."""
    return [row for _, runs in named_sets(judge([path], edition)) for row in rows_of(runs)]


def test_ratios_need_two_finite_numbers_and_a_positive_divisor():
    assert ratio(6.0, 3.0) == 2.0
    assert [ratio(*pair) for pair in ((None, 1), (1, None), (1, 0), (math.inf, 1), (1, math.inf))] == [None] * 5


def row_of(tree, log, **options):
    (row,) = rows(tree.set([log], **options))
    return row


def test_a_row_has_times_and_rates(tree, new_log):
    row = row_of(tree, new_log.scaffold(10.0, epochs=4, seed=2**62))
    assert (row.seconds, row.epochs, row.quality, row.converged) == (10.0, 4, 0.96, True)
    assert (row.seed, row.units, row.unit) == (str(2**62), 4, "accelerator")
    assert row.train_rate == pytest.approx(400 / (row.training_ms / 1000))
    assert (row.unit_hours, row.node_hours) == pytest.approx((4 * 10 / 3600, 10 / 3600))
    assert (row.first_epoch_seconds, row.later_epoch_seconds, row.step_ms) == pytest.approx((2.224, 2.224, 2224))
    assert row.epochs_per_minute == pytest.approx(60 / 2.224) and row.sample_rate == pytest.approx(120 / 2.224)
    assert row.fault is None
    assert row_of(tree, new_log.scaffold(values=[0.5, 0.95])).converged  # a score equal to the target meets it


def test_a_claimed_success_plays_no_part(tree, new_log):
    log = new_log.scaffold(reach=False).add("eval_accuracy", 0.99, after=10, epoch_num=5)
    log.lines = [line.replace("aborted", "success") for line in log.lines]
    row = row_of(tree, log)
    assert not row.converged  # 0.99 came after run_stop
    assert row.fault == "no evaluation at or before run_stop met the target 0.95"


def test_the_metric_is_the_benchmark_s(tree, new_log):
    """As found: another metric beside each error, and a run that missed its target counted as converged at once."""
    for org, accuracy in (("a", None), ("b", lambda error: -error)):
        row = row_of(tree, new_log.cosmoflow([0.5, 0.4, 0.3], accuracy), org=org, benchmark="cosmoflow")
        assert (row.converged, row.quality, row.evaluations) == (False, 0.3, 3)


def test_the_first_run_stop_counts(tree, new_log):
    """As found: 79 s by the checker, 119 s by the results, of one log."""
    log = new_log.scaffold(79.0).add("run_stop", after=40_000, status="success")
    assert row_of(tree, log).seconds == 79.0


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda m: m.scaffold(stop=False), "no run_stop"),
        (lambda m: m.header(m.Log()).add("run_start").add("run_stop", after=-5), "is not later than run_start"),
        (lambda m: m.Log(), "no run_start"),
        (lambda m: m.header(m.Log()).add("run_start").add("run_stop", after=5), "no target is known"),
        (
            lambda m: m.header(m.Log(), problem="smoke").add("run_start").add("run_stop", after=5),
            "no eval_accuracy that is a number",
        ),
    ],
)
def test_why_a_run_has_no_time(tree, new_log, make, fault):
    row = row_of(tree, make(new_log))
    assert not row.converged and row.seconds == float("inf") and fault in row.fault


@pytest.mark.parametrize("value", ["NaN", "true", '"0.99"', "null", "1" + "0" * 400])
def test_values_that_are_no_numbers(tree, new_log, value):
    log = new_log.scaffold(reach=False, values=[0.77])
    log.lines = [line.replace("0.77", value) for line in log.lines]
    row = row_of(tree, log)
    assert row.evaluations == 0 and row.quality is None and not row.converged


def test_numbers_beyond_all_measure_are_none():
    assert first(1e300, "1,024 ") == 1024
    assert first(True, -3, "many", 10**400, "1" * 16) is None and first("1" * 15) == 111_111_111_111_111
    assert first(-1, 0, 7) == 0


def test_pruned_logs_are_those_of_weak_sets(tree, new_log):
    """As found: three failed runs in `pruned_results` of a strong set left five that were ranked."""
    good = new_log.five()
    bad = [new_log.scaffold(60.0, seed=90 + i, reach=False) for i in range(3)]
    weak = rows(tree.set(good, org="weak", scaling="weak", pruned=bad))
    assert sum(row.run.pruned for row in weak) == 3
    strong = named_sets(judge([tree.set(good, org="strong", pruned=bad)]))
    assert not any(row.run.pruned for _, runs in strong for row in rows_of(runs))
    assert sorted(len(rows_of(runs)) for _, runs in strong) == [3, 5]


def test_openfold_counts_samples_and_evaluates_beside_training(tree, new_log):
    """As found: each logged "epoch" of 2,048 samples counted as a pass over the training set."""
    row = row_of(tree, new_log.openfold(), benchmark="openfold", edition="v3.0")
    assert row.log.edition == "mlperf-hpc-v3.0" and row.converged
    assert row.trained == 20_480 and row.passes == pytest.approx(0.2048) and row.epochs == 10
    assert (row.training_ms, row.evaluation_ms, row.rest_ms) == (row.total_ms, None, None)
    assert row.train_rate == row.compute_rate == pytest.approx(20_480 / (row.total_ms / 1000))
    assert row.eval_rate is None
    assert row.sample_rate == pytest.approx((20_480 + 10 * 180) / (row.total_ms / 1000))


def test_a_target_met_beside_a_later_epoch_took_the_passes_before(tree, new_log):
    """As found: 34 epochs of samples to a target that the evaluation of epoch 33 met."""
    log = new_log.header(new_log.Log(), "oc20", train_samples=1000).add("run_start")
    for e in range(1, 5):
        log.add("epoch_start", epoch_num=e)
        if e > 1:
            log.add("eval_stop", after=2, epoch_num=e - 1).add("eval_error", 0.05 if e < 4 else 0.03, epoch_num=e - 1)
        log.add("eval_start", after=2, epoch_num=e).add("epoch_stop", after=2, epoch_num=e)
    row = row_of(tree, log.add("run_stop", after=1), benchmark="oc20", edition="v3.0")
    assert row.converged and (row.epochs, row.passes, row.trained) == (4, 3, 3000)


def readings(log, watts, factor=None):
    """An instrument's log of 20 s, a reading each second."""
    if factor is not None:
        log.add("conversion_eff", {"value": factor})
    log.add("power_measurement_start")
    for _ in range(20):
        log.add("power_reading", {"value": watts}, after=1000)
    return log.add("power_measurement_stop")


START = 1_700_000_001_000  # run_start of a log that begins at 1_700_000_000_000


def test_energy_of_nodes_and_switches_adds_up(tree, new_log):
    folder = tree.set([new_log.scaffold(10.0)])
    power = folder / "power" / "result_0"
    assert rows(folder)[0].joules is None
    new_log.Log().add("other").write(power / "node_0.txt")
    assert rows(folder)[0].joules is None  # a node without readings
    readings(new_log.Log(START - 5000), 100.0).write(power / "node_0.txt")
    readings(new_log.Log(START - 5000), 200.0, factor=0.5).write(power / "node_1.txt")
    new_log.Log().add("interconnect_power_est", {"value": 30}).write(power / "sw_0.txt")
    (row,) = rows(folder)
    assert row.run.start_ms == START
    assert row.joules == pytest.approx((100 + 100 + 30) * 10)


def test_settings_of_a_strange_log_are_words():
    assert settings({"sharding": "x" * 500, "compile": {"a": 1}}) == f"sharding={'x' * 60}, compile={{'a': 1}}"
    assert [settings(v) for v in (None, 3, {}, {"sharding": "ddp", "accumulate": 1, "learning_rate": 3})] == [None] * 4
