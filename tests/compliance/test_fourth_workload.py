"""A fourth workload: rules for it are added to a copy of the editions, and its logs are checked and scored by them.

Its score has a key of its own, it is evaluated twice an epoch, and a sample is a sequence and no volume.
"""

import random

import pytest

from compliance.engine import judge
from results.statistics.result import summarize
from tests.compliance.editions import amended
from tests.compliance.editions import law as make_law
from tests.compliance.logs import NAMES, TINY, config_digest, good
from tests.compliance.submissions import Tree

METRIC = "eval_perplexity"
BENCHMARK = {
    "runs": 5,
    "metric": METRIC,
    "lower": True,
    "score": "mean",
    "score_min": 0,
    "evaluations_per_epoch": 2,
    "settings": {"accumulate": "free", "learning_rate": "free", "context": {"equals": 128}},
    "configured": {"global_batch_size": "batch_size", "opt_base_learning_rate": "learning_rate"},
    "keys": {"opt_base_learning_rate": {"kind": "number", "required": True, "above": 0}},
}
PROBLEM = {**TINY, "benchmark": "sequences", "target": 0.2, "outputs": 1, "class_counts": {}, "reference_epochs": {}}
SETTINGS = {
    "batch_size": 4,
    "accumulate": 1,
    "epochs": 9,
    "gradient_clip": 0,
    "average_decay": 0,
    "precision": "float32",
    "learning_rate": 0.001,
    "context": 128,
    "bucketing": True,
}


def run(index):
    """A run of the workload: a good log, of which each second epoch ends a pass over the data."""
    log, rng = good(index), random.Random(index)
    log.one("submission_benchmark")["value"], log.one("problem")["value"] = "sequences", "short"
    log.one("target")["value"] = PROBLEM["target"]
    optimizer = ("opt_name", "opt_end_", "opt_adam_", "opt_weight", "opt_gradient", "opt_learning")
    log.events = [event for event in log.events if not event["key"].startswith(optimizer)]
    head = log.one("hyperparameters")
    head["value"], head["metadata"]["machine"] = SETTINGS, ["bucketing"]
    log.one("config_digest")["value"] = config_digest(SETTINGS)
    for event in log.events:
        data = event["metadata"]
        if "epoch_num" in data:
            data["epoch_num"] /= 2
        if event["key"] == "epoch_stop":
            data["samples_count"] = 4
        if event["key"] == "tracked_stats":
            event["value"]["throughput"] /= 2
        if event["key"] == "dataset_fingerprint":
            data["class_counts"] = []
        if event["key"] == "eval_accuracy":
            total = 4 * (1.0 - event["value"]) * rng.uniform(0.9, 1.1)
            event["key"], event["value"], data["sums"] = METRIC, total / 4, [total]
            for name in NAMES:
                del data[name]
    proof = next(e for e in log.all("dataset_fingerprint") if e["metadata"]["split"] == "train")
    second = log.one("eval_start", 1)  # it is known after the second half of the first epoch
    log.move(proof, second)
    assert log.all(METRIC)[-1]["value"] <= PROBLEM["target"]
    return log


@pytest.fixture(scope="module")
def law(tmp_path_factory):
    """Editions that know the workload."""
    root = make_law(tmp_path_factory.mktemp("fourth"))
    with amended(root) as limits:
        limits["benchmarks"]["sequences"], limits["problems"]["short"] = BENCHMARK, PROBLEM
    return root


@pytest.fixture
def tree(tmp_path):
    """A set of its runs."""
    return Tree(tmp_path, benchmark="sequences", make=run)


def test_its_set_passes_and_has_a_figure(law, tree):
    """A person looks at the number of epochs, for which there are no points, and at its own setting of the machine."""
    verdict = judge([tree.root], rules=law)
    assert verdict.exit_code == 0 and {f.code for f in verdict.findings} == {"RUN22", "HYP06"}
    (result,) = summarize(verdict)
    assert result.judged.benchmark == "sequences" and result.fom > 40
    for row in result.rows:
        assert row.converged and row.epochs == row.passes == 2.5 and row.trained == 20


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda tree: tree.settings(context=256), "HYP01"),
        (lambda tree: tree.settings(context=...), "HYP05"),
        (lambda tree: tree.settings(tile=[1, 1, 1, 1]), "HYP06"),
        (lambda tree: tree.changed(METRIC, value=0.5), "EVL05"),
        (lambda tree: tree.changed("epoch_stop", metadata={"samples_count": 8}), "DATA06"),
    ],
)
def test_its_runs_are_judged_by_its_rules(found, tree, change, code):
    change(tree)
    assert ("result_2.txt", code) in {(name, code) for name, _, code in found(tree.root)}
