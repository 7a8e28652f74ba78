"""The layouts of the public MLPerf HPC rounds that are not in published.yaml."""

import json

import pytest

from results import summarize


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


def test_weak_instances_by_ranks(tree, new_log, summary):
    """Some logs of throughput sets name the nodes of the whole system; ranks say what the instance had."""
    facts = {"number_of_nodes": 2, "accelerators_per_node": 4, "number_of_ranks": 2, "start": 1_630_000_000_000}
    logs = [cosmoflow_after_epochs(new_log, 5 + i, **facts) for i in range(4)]
    tree.set(logs, "a", "b", "cosmoflow", "weak", "hpc_results_v1.0")
    (row,) = summary()
    assert (row["edition"], row["total_scale"], row["instance_scale"], row["models"]) == ("mlperf-hpc-v1.0", 128, 2, 4)
