"""EVL: evaluations that don't say, cover or reach what they must; scores that are no numbers of theirs."""

import copy
import math

import pytest

from benchmark.metric import mean
from rules.edition import load
from tests.compliance.catalogue import event_changed
from tests.compliance.families.damages import log_changed

damage = pytest.mark.damage


@damage
def no_epoch_and_no_evaluation(tree):
    """LOG12 and DATA08 look at what comes with them."""
    kept = ("epoch_start", "epoch_stop", "eval_start", "eval_stop", "eval_accuracy", "tracked_stats")
    log = tree.logs[2]
    log.events = [event for event in log.events if event["key"] not in kept]
    tree.write(2)
    stop = log.line(log.one("run_stop"))
    return [("result_2.txt", stop, "EVL03"), ("result_2.txt", stop, "EVL08")]


@damage
def evaluation_without_a_score(tree):
    line = tree.logs[2].line(tree.logs[2].all("eval_start")[1])
    tree.removed("eval_accuracy", epoch=2)
    return [("result_2.txt", line, "EVL01")]


score_true = event_changed("EVL04", "eval_accuracy", nth=4, value=True)
aborted_with_the_target = event_changed("EVL08", "run_stop", metadata={"status": "aborted"})
target_lowered = event_changed("EVL10", "target", value=0.9)
evaluation_of_half_the_split = event_changed("EVL11", "eval_stop", nth=1, metadata={"samples_count": 2})
counts_missing = event_changed("EVL12", "eval_accuracy", nth=1, metadata={"predicted": None})
sum_of_more_than_the_samples_can_have = event_changed(
    "EVL13", "eval_error", of="mean", nth=1, metadata={"sums": [0.5, 4.001]}
)
two_scores_of_one_evaluation = log_changed(
    "EVL01", lambda tree, log: tree.inserted(log.all("epoch_start")[2], dict(log.all("eval_accuracy")[1]))
)
score_improved = log_changed(
    "EVL05", lambda tree, log: tree.changed("eval_accuracy", nth=1, value=log.all("eval_accuracy")[1]["value"] + 0.01)
)
run_stop_earlier_than_the_evaluation = log_changed(
    "EVL06", lambda tree, log: tree.changed("run_stop", time_ms=log.all("eval_start")[-1]["time_ms"])
)
score_before_its_evaluation = log_changed(
    "EVL15", lambda tree, log: tree.moved(log.all("eval_accuracy")[1], log.all("eval_start")[1])
)


@damage
def another_metric_beside_the_benchmarks(tree):
    event = tree.logs[2].all("eval_accuracy")[1]
    return [("result_2.txt", tree.inserted(event, {**event, "key": "eval_error", "value": 0.0}), "EVL14")]


@damage
def epoch_left_out(tree):
    log = tree.logs[2]
    tree.removed("epoch_start", "tracked_stats", "epoch_stop", "eval_start", "eval_stop", "eval_accuracy", epoch=3)
    return [("result_2.txt", log.line(log.all("epoch_start")[2]), "EVL02")]


@damage
def intermediate_evaluations_deleted(tree):
    log = tree.logs[2]
    for epoch in (2, 3):
        tree.removed("eval_start", "eval_stop", "eval_accuracy", epoch=epoch)
    return [("result_2.txt", log.line(log.all("epoch_start")[i]), "EVL03") for i in (1, 2)]


@damage
def target_met_only_after_run_stop(tree):
    log = tree.logs[2]
    stop = log.events.pop()
    at = log.events.index(log.all("eval_accuracy")[-1])
    log.events.insert(at, stop)
    tree.write(2)
    return [("result_2.txt", at + 1, "EVL06")]


@damage
def success_without_the_target(tree, logs):
    log = tree.logs[2] = logs.good(2, (0.5, 0.7, 0.8))
    return [("result_2.txt", tree.changed("run_stop", metadata={"status": "success"}), "EVL08")] if log else []


@damage
def epochs_after_the_target(tree, logs):
    qualities = (0.5, 0.7, 0.995, 0.6, 0.996)
    log = tree.logs[2] = logs.good(2, qualities)
    return [("result_2.txt", tree.written(log.all("eval_accuracy")[3]), "EVL09")]


@damage
def more_hits_than_voxels(tree):
    hits = list(tree.logs[2].all("eval_accuracy")[1]["metadata"]["intersection"])
    hits[3] = 20_001
    return [("result_2.txt", tree.changed("eval_accuracy", nth=1, metadata={"intersection": hits}), "EVL12")]


@damage
def background_missed_more_often_than_another_class_was_taken(tree):
    """One more of its voxels is missed or taken for it than are missed of all classes."""
    metadata = tree.logs[2].all("eval_accuracy")[1]["metadata"]
    hits, predicted, true = (list(metadata[name]) for name in ("intersection", "predicted", "true"))
    hits[0] = predicted[0] - (sum(true[1:]) - sum(hits[1:])) - 1
    return [("result_2.txt", tree.changed("eval_accuracy", nth=1, metadata={"intersection": hits}), "EVL12")]


@damage
def one_run_that_missed_its_target(tree, logs):
    tree.logs[1] = logs.good(1, (0.5, 0.7, 0.8))
    tree.write(1)
    return [("result_1.txt", len(tree.logs[1].events), "EVL07")]


def recounted(sampled, logs, change):
    """Damage: the second evaluation of a run has the counts that `change` makes of its samples', and what follows."""
    event = sampled.logs[2].all("eval_accuracy")[1]
    rows = copy.deepcopy(event["metadata"]["counts"])
    change(rows)
    logs.recount(event, rows)
    return [("result_2.txt", sampled.written(event), "EVL16")]


@damage
def sums_that_the_samples_do_not_give(sampled, logs):
    """The score follows from the sums."""
    event = sampled.logs[2].all("eval_accuracy")[1]
    sums = event["metadata"]["sums"]
    sums[0] = math.nextafter(sums[0], 0)
    event["value"] = mean(sums, 4)
    return [("result_2.txt", sampled.written(event), "EVL16")]


@damage
def more_hits_than_voxels_of_a_sample(sampled, logs):
    """The other samples make up for it."""

    def change(rows):
        rows[0][1][0] = rows[0][1][2] + 1

    return recounted(sampled, logs, change)


@damage
def true_voxels_that_were_not_read(sampled, logs):
    def change(rows):
        rows[3][2][2] += 1

    return recounted(sampled, logs, change)


@damage
def true_voxels_moved_between_samples(sampled, logs):
    def change(rows):
        rows[0][0][2], rows[1][0][2] = rows[0][0][2] + 5, rows[1][0][2] - 5

    return recounted(sampled, logs, change)


@damage
def a_sample_without_counts(sampled, logs):
    return recounted(sampled, logs, lambda rows: rows.pop())


def test_damage(entry, exactly):
    exactly(entry)


def test_a_run_that_is_aborted_anywhere_is_honest(tree, found):
    """SIGTERM may come after any event of the run; nothing is found but that it did not converge."""
    log = tree.logs[2]
    events = list(log.events)
    first = events.index(log.one("run_start")) + 1
    for cut in range(first, len(events) - 2):
        log.events = events[:cut]
        log.time_ms = events[cut - 1]["time_ms"]
        log.stop("run_stop", status="aborted", epoch_num=1, reason="SIGTERM")
        tree.write(2)
        assert found(tree.path(2)) == [("result_2.txt", cut + 1, "EVL07")], events[cut - 1]


@pytest.mark.parametrize(("beyond", "codes"), [(-1, []), (0, []), (1, ["EVL15"])])
def test_evl15_a_score_may_come_as_late_as_run_stop(tree, law, codes_of, beyond, codes):
    log, limit = tree.logs[2], int(load("v1.0", law).limits.clock.stop_delay * 1000)
    score = log.all("eval_accuracy")[1]
    by = log.all("eval_stop")[1]["time_ms"] + limit + beyond - score["time_ms"]
    log.shift(by, since=score)
    assert codes_of(tree) == codes


def test_evl15_a_score_may_come_within_its_evaluation(tree, codes_of):
    log = tree.logs[2]
    tree.moved(log.all("eval_accuracy")[1], log.all("eval_stop")[1])
    assert codes_of(tree) == []
