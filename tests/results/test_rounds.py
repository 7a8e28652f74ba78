"""The layouts of the public MLPerf HPC rounds, generated from published numbers.

The DeepCAM set is ABCI-1024, closed, of v0.7 (mlcommons/hpc_results_v0.7): start, end of staging and end of its five
runs in milliseconds, as logged. Farrell et al. 2021, Table 4, print 11.71 minutes for it.
"""

import json

import pytest

from compliance.engine import judge
from results import summarize
from results.statistics.result import summarize as results_of

ABCI = [
    (1601965678466, 1601965825262, 1601966392518),
    (1602320996685, 1602321128770, 1602321698975),
    (1602324183558, 1602324315654, 1602324884635),
    (1602328247067, 1602328377789, 1602328945155),
    (1602329084664, 1602329216092, 1602329788326),
]
STEPS, EACH, EVERY = 1400, 59, 100  # steps of a run, of an epoch, between evaluations


def deepcam_by_steps(new_log, start, staged, stop):
    """DeepCAM v0.7: evaluates every 100 steps inside epochs, logs neither nodes nor accelerators."""
    log = new_log.Log(start - 2000)
    facts = {"number_of_nodes": None, "accelerators_per_node": None, "global_batch_size": 2048}
    new_log.header(log, "deepcam", **facts, train_samples=121266, eval_samples=15158, seed=start // 1000)
    log.now = start
    log.add("run_start").add("staging_start")
    log.now = staged
    log.add("staging_stop")
    each = (stop - staged - 100) // STEPS
    for step in range(1, STEPS + 1):
        epoch = (step - 1) // EACH + 1
        if (step - 1) % EACH == 0:
            log.add("epoch_start", epoch_num=epoch, step_num=step - 1)
        log.now += each
        if step % EVERY == 0:
            log.now -= each // 2
            log.add("eval_start", epoch_num=epoch)
            log.add("eval_accuracy", 0.8202 if step == STEPS else 0.8 * step / STEPS, epoch_num=epoch, step_num=step)
            log.add("eval_stop", after=each // 2, epoch_num=epoch)
        if step % EACH == 0 or step == STEPS:
            log.add("epoch_stop", epoch_num=epoch, step_num=step)
    log.now = stop
    return log.add("run_stop", status="success")


def cosmoflow_after_epochs(new_log, epochs, start=1_600_000_000_000, **facts):
    """CosmoFlow: the error is logged after the epoch ended; v0.7 counts epochs from 0."""
    log = new_log.Log(start)
    facts = {"number_of_nodes": 512, "accelerators_per_node": 0, "number_of_ranks": 512, **facts}
    new_log.header(log, "cosmoflow", **facts, train_samples=262144, eval_samples=65536)
    log.add("run_start").add("staging_start").add("staging_stop", after=60_000)
    for e in range(epochs):
        log.add("epoch_start", epoch_num=e).add("eval_start", after=270_000, epoch_num=e)
        log.add("eval_stop", after=13_000, epoch_num=e).add("epoch_stop", after=2_000, epoch_num=e)
        log.add("eval_error", 0.3 - e / 1000 if e < epochs - 1 else 0.1238, epoch_num=e)
    return log.add("run_stop", after=9_000, status="success")


@pytest.fixture
def summary(tree, capsys):
    def call():
        summarize.main(["--as-logged", "--format", "json", str(tree.root)])
        return json.loads(capsys.readouterr().out)["results"]

    return call


def describe(tree, folder, system, **fields):
    path = folder / "systems" / f"{system}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_deepcam_v07(tree, new_log, summary):
    logs = [deepcam_by_steps(new_log, *times) for times in ABCI]
    tree.set(logs, "Fujitsu", "abci_1024xV100_pytorch_closed", "deepcam", scaling="", edition="v0.7")
    home = tree.root / "v0.7" / "Fujitsu"
    describe(tree, home, "abci_1024xV100_pytorch_closed", number_of_nodes="256", accelerators_per_node="4")
    (row,) = summary()
    assert (row["edition"], row["scaling"], row["required"]) == ("mlperf-hpc-v0.7", "strong", 5)
    assert f"{row['fom_minutes']:.2f}" == "11.71"
    assert row["staging_seconds"] == pytest.approx((132.084 + 132.096 + 131.428) / 3, abs=0.002)
    assert row["staging_share"] == pytest.approx(0.1878, abs=1e-4)
    assert (row["units"], row["unit"], row["nodes"]) == (1024, "accelerator", 256)
    assert row["epochs"] == 24
    assert row["passes"] == pytest.approx(1400 * 2048 / 121266)
    assert row["unit_hours"] == pytest.approx(1024 * 702.343 / 3600)
    assert row["node_hours"] == pytest.approx(256 * 702.343 / 3600)
    seconds = row["fom_seconds"] - row["staging_seconds"]
    assert row["run_samples_per_second"] == pytest.approx(1400 * 2048 / seconds, rel=1e-3)


def test_cosmoflow_on_cpus(tree, new_log, summary):
    logs = [cosmoflow_after_epochs(new_log, e) for e in (50, 52, 54, 54, 55, 55, 56, 57, 58, 70)]
    tree.set(logs, "RIKEN", "fugaku", "cosmoflow", scaling="", edition="v0.7")
    describe(tree, tree.root / "v0.7" / "RIKEN", "fugaku", accelerators_per_node="0", host_processors_per_node="1")
    (row,) = summary()
    assert (row["edition"], row["required"], row["converged"]) == ("mlperf-hpc-v0.7", 10, 10)
    assert row["epochs"] == pytest.approx(sum((52, 54, 54, 55, 55, 56, 57, 58)) / 8)
    assert row["fom_seconds"] == pytest.approx(69 + 285 * row["epochs"])
    assert (row["units"], row["unit"]) == (512, "processor")
    assert row["evaluation_seconds"] == pytest.approx(13 * row["epochs"])
    assert row["rest_seconds"] == pytest.approx(9)


def test_nine_runs_of_cosmoflow_are_too_few(tree, new_log, summary):
    tree.set([cosmoflow_after_epochs(new_log, 50)] * 9, "a", "b", "cosmoflow", edition="v2.0")
    (row,) = summary()
    assert "found 9, wanted 10: 1 more" in row["why"]


def test_weak_instances_by_ranks(tree, new_log, summary):
    """Some logs of throughput sets name the nodes of the whole system; ranks say what the instance had."""
    facts = {"number_of_nodes": 2, "accelerators_per_node": 4, "number_of_ranks": 2, "start": 1_630_000_000_000}
    logs = [cosmoflow_after_epochs(new_log, 5 + i, **facts) for i in range(4)]
    tree.set(logs, "a", "b", "cosmoflow", "weak", "hpc_results_v1.0")
    (row,) = summary()
    assert (row["edition"], row["total_scale"], row["instance_scale"], row["models"]) == ("mlperf-hpc-v1.0", 128, 2, 4)


def test_parts_add_up_in_every_layout(tree, new_log):
    tree.set([deepcam_by_steps(new_log, *times) for times in ABCI], "a", "b", "deepcam", "", "v0.7")
    tree.set([cosmoflow_after_epochs(new_log, 5)], "a", "b", "cosmoflow", "strong", "v2.0")
    for row in (row for r in results_of(judge([tree.root])) for row in r.rows):
        parts = [row.staging_ms, row.training_ms, row.evaluation_ms, row.rest_ms]
        assert sum(parts) == row.total_ms and min(parts[:3]) > 0
