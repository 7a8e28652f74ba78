"""The catalogue of damage: what a run says of its evaluations, data, model and seed. Each entry damages a good
submission and returns exactly the findings that must come, (file, line, code), and nothing else."""

import pytest

DAMAGE = []


def damage(function):
    """An entry of the catalogue."""
    DAMAGE.append(pytest.param(function, id=function.__name__))
    return function


def changed(tree, key, index=2, nth=0, metadata=None, **fields):
    """Change fields of the nth event of a key in a log; its line."""
    event = tree.logs[index].all(key)[nth]
    event.update(fields)
    event["metadata"].update(metadata or {})
    tree.write(index)
    return tree.logs[index].line(event)


def removed(tree, *keys, index=2, epoch=None):
    """Remove the events of keys (of one epoch)."""
    log = tree.logs[index]
    log.events = [e for e in log.events if e["key"] not in keys or (epoch and e["metadata"].get("epoch_num") != epoch)]
    tree.write(index)


def inserted(tree, before, event, index=2):
    """Insert an event before another; its line."""
    log = tree.logs[index]
    at = next(i for i, e in enumerate(log.events) if e is before)
    log.events.insert(at, event)
    tree.write(index)
    return at + 1


@damage
def evaluation_without_a_score(tree):
    line = tree.logs[2].line(tree.logs[2].all("eval_start")[1])
    removed(tree, "eval_accuracy", epoch=2)
    return [("result_2.txt", line, "EVL01")]


@damage
def two_scores_of_one_evaluation(tree):
    log = tree.logs[2]
    following = log.all("epoch_start")[2]
    return [("result_2.txt", inserted(tree, following, dict(log.all("eval_accuracy")[1])), "EVL01")]


@damage
def epoch_left_out(tree):
    log = tree.logs[2]
    removed(tree, "epoch_start", "tracked_stats", "epoch_stop", "eval_start", "eval_stop", "eval_accuracy", epoch=3)
    return [("result_2.txt", log.line(log.all("epoch_start")[2]), "EVL02")]


@damage
def intermediate_evaluations_deleted(tree):
    log = tree.logs[2]
    for epoch in (2, 3):
        removed(tree, "eval_start", "eval_stop", "eval_accuracy", epoch=epoch)
    return [("result_2.txt", log.line(log.all("epoch_start")[i]), "EVL03") for i in (1, 2)]


@damage
def score_true(tree):
    return [("result_2.txt", changed(tree, "eval_accuracy", nth=4, value=True), "EVL04")]


@damage
def score_nan_in_quotes(tree):
    return [("result_2.txt", changed(tree, "eval_accuracy", nth=1, value="NaN"), "EVL04")]


@damage
def score_beyond_one(tree):
    return [("result_2.txt", changed(tree, "eval_accuracy", nth=4, value=1.5), "EVL04")]


@damage
def score_improved(tree):
    value = tree.logs[2].all("eval_accuracy")[1]["value"]
    return [("result_2.txt", changed(tree, "eval_accuracy", nth=1, value=value + 0.01), "EVL05")]


@damage
def score_lifted_over_the_target(tree):
    return [("result_2.txt", changed(tree, "eval_accuracy", nth=3, value=0.96), "EVL05")]


@damage
def target_met_only_after_run_stop(tree):
    log = tree.logs[2]
    stop = log.events.pop()
    at = log.events.index(log.all("eval_accuracy")[-1])
    log.events.insert(at, stop)
    tree.write(2)
    return [("result_2.txt", at + 1, "EVL06")]


@damage
def run_stop_earlier_than_the_evaluation(tree):
    time = tree.logs[2].all("eval_start")[-1]["time_ms"]
    return [("result_2.txt", changed(tree, "run_stop", time_ms=time), "EVL06")]


@damage
def success_without_the_target(tree):
    log = tree.logs[2] = tree.logs_module.good(2, (0.5, 0.7, 0.8), tree.logs[2].one("source_digest")["value"])
    return [("result_2.txt", changed(tree, "run_stop", metadata={"status": "success"}), "EVL08")] if log else []


@damage
def aborted_with_the_target(tree):
    return [("result_2.txt", changed(tree, "run_stop", metadata={"status": "aborted"}), "EVL08")]


@damage
def status_of_its_own(tree):
    return [("result_2.txt", changed(tree, "run_stop", metadata={"status": "done"}), "EVL08")]


@damage
def epochs_after_the_target(tree):
    qualities = (0.5, 0.7, 0.995, 0.6, 0.996)
    log = tree.logs[2] = tree.logs_module.good(2, qualities, tree.logs[2].one("source_digest")["value"])
    tree.write(2)
    return [("result_2.txt", log.line(log.all("eval_accuracy")[3]), "EVL09")]


@damage
def target_lowered(tree):
    return [("result_2.txt", changed(tree, "target", value=0.9), "EVL10")]


@damage
def evaluation_of_half_the_split(tree):
    return [("result_2.txt", changed(tree, "eval_stop", nth=1, metadata={"samples_count": 2}), "EVL11")]


@damage
def more_hits_than_voxels(tree):
    hits = list(tree.logs[2].all("eval_accuracy")[1]["metadata"]["intersection"])
    hits[3] = 201
    return [("result_2.txt", changed(tree, "eval_accuracy", nth=1, metadata={"intersection": hits}), "EVL12")]


@damage
def counts_missing(tree):
    event = tree.logs[2].all("eval_accuracy")[1]
    del event["metadata"]["predicted"]
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "EVL12")]


@damage
def validation_class_count_altered(tree):
    true = list(tree.logs[2].all("eval_accuracy")[1]["metadata"]["true"])
    true[1] -= 1
    return [("result_2.txt", changed(tree, "eval_accuracy", nth=1, metadata={"true": true}), "DATA03")]


@damage
def fingerprint_of_another_dataset(tree):
    return [("result_2.txt", changed(tree, "dataset_fingerprint", nth=1, value="f" * 64), "DATA01")]


@damage
def fewer_training_samples(tree):
    return [("result_2.txt", changed(tree, "train_samples", value=6), "DATA02")]


@damage
def fingerprint_of_fewer_samples(tree):
    return [("result_2.txt", changed(tree, "dataset_fingerprint", metadata={"samples_count": 7}), "DATA02")]


@damage
def training_class_count_altered(tree):
    counts = [8000, 900, 701, 399]
    line = changed(tree, "dataset_fingerprint", metadata={"class_counts": counts})
    return [("result_2.txt", line, "DATA03")] * 2


@damage
def definition_of_another_problem(tree):
    return [("result_2.txt", changed(tree, "problem_digest", value="0" * 64), "DATA04")]


@damage
def fingerprint_missing(tree):
    log = tree.logs[2]
    log.events.remove(log.all("dataset_fingerprint")[1])
    tree.write(2)
    return [("result_2.txt", 1, "DATA05")]


@damage
def splits_exchanged(tree):
    event = tree.logs[2].all("dataset_fingerprint")[1]
    event["metadata"]["split"] = "train"
    tree.write(2)
    line = tree.logs[2].line(event)
    return [("result_2.txt", 1, "DATA05"), ("result_2.txt", line, "DATA05")]


@damage
def half_an_epoch(tree):
    return [("result_2.txt", changed(tree, "epoch_stop", nth=1, metadata={"samples_count": 4}), "DATA06")]


@damage
def another_optimizer(tree):
    for index in range(5):
        changed(tree, "opt_name", index, value="lamb")
    line = tree.logs[0].line(tree.logs[0].one("opt_name"))
    return [(f"result_{i}.txt", line, "HYP01") for i in range(5)]


@damage
def another_beta(tree):
    for index in range(5):
        changed(tree, "opt_adam_beta_1", index, value=0.95)
    line = tree.logs[0].line(tree.logs[0].one("opt_adam_beta_1"))
    return [(f"result_{i}.txt", line, "HYP01") for i in range(5)]


@damage
def batch_of_more_than_all(tree):
    for index in range(5):
        changed(tree, "global_batch_size", index, value=16)
    line = tree.logs[0].line(tree.logs[0].one("global_batch_size"))
    return [(f"result_{i}.txt", line, "HYP02") for i in range(5)]


@damage
def learning_rate_that_the_configuration_denies(tree):
    for index in range(5):
        changed(tree, "opt_base_learning_rate", index, value=0.002)
    line = tree.logs[0].line(tree.logs[0].one("opt_base_learning_rate"))
    return [(f"result_{i}.txt", line, "HYP03") for i in range(5)]


@damage
def smaller_model(tree):
    return [("result_2.txt", changed(tree, "parameter_count", value=1000), "MOD01")]


@damage
def layout_of_other_ranks(tree):
    for index in range(5):
        changed(tree, "layout", index, value={"data": 4, "depth": 1, "height": 1, "width": 1})
    line = tree.logs[0].line(tree.logs[0].one("layout"))
    return [(f"result_{i}.txt", line, "MOD02") for i in range(5)]


@damage
def no_seed(tree):
    removed(tree, "seed")
    return [("result_2.txt", 1, "SEED01")]


@damage
def seed_of_text(tree):
    return [("result_2.txt", changed(tree, "seed", value="lucky"), "SEED02")]


@damage
def seed_in_quotes(tree):
    return [("result_2.txt", changed(tree, "seed", value=str((1 << 62) + 5)), "SEED02")]


@damage
def seed_of_the_clock(tree):
    time = tree.logs[2].one("seed")["time_ms"]
    return [("result_2.txt", changed(tree, "seed", value=time * 1_000_000 + 123_456), "SEED03")]


@damage
def seed_of_the_shell(tree):
    return [("result_2.txt", changed(tree, "seed", value=22557), "SEED03")]


@damage
def rehearsal(tree):
    return [("result_2.txt", changed(tree, "seed", metadata={"source": "rehearsal"}), "SEED04")]


@pytest.mark.parametrize("function", DAMAGE)
def test_damage_to_a_run(function, tree, found):
    expected = function(tree)
    assert found(tree.root) == sorted(expected)
