"""The layouts of the public MLPerf HPC rounds that are not in published.yaml."""

import json

import pytest


def cosmoflow(new_log, epochs):
    """CosmoFlow on two of a system's many ranks: the error is logged after the epoch ended, epochs count from 0."""
    log = new_log.Log(1_630_000_000_000)
    new_log.header(log, "cosmoflow", number_of_nodes=2, accelerators_per_node=4, number_of_ranks=2)
    log.add("run_start")
    for e in range(epochs):
        log.add("epoch_start", epoch_num=e).add("eval_start", after=270_000, epoch_num=e)
        log.add("eval_stop", after=13_000, epoch_num=e).add("epoch_stop", after=2_000, epoch_num=e)
        log.add("eval_error", 0.3 if e < epochs - 1 else 0.1238, epoch_num=e)
    return log.add("run_stop", after=9_000, status="success")


def test_weak_instances_by_ranks(tree, new_log, run):
    """Some logs of throughput sets name the nodes of the whole system; ranks say what the instance had."""
    logs = [cosmoflow(new_log, 5 + i) for i in range(4)]
    tree.set(logs, "a", "b", "cosmoflow", "weak", "hpc_results_v1.0")
    (row,) = json.loads(run("--format", "json", tree.root)[1].out)["results"]
    assert (row["edition"], row["total_scale"], row["instance_scale"], row["models"]) == ("mlperf-hpc-v1.0", 128, 2, 4)
    assert row["evaluation_seconds"] == pytest.approx(13 * row["epochs"]) and row["rest_seconds"] == pytest.approx(9)
