"""The catalogue of damage: logs. Each entry damages one log of a good submission and returns exactly the findings
that must come, (file, line, code), and nothing else."""

import json

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
def truncated_json(tree):
    lines = tree.path(2).read_text().splitlines(keepends=True)
    lines[49] = lines[49][:60] + "\n"
    tree.path(2).write_text("".join(lines))
    return [("result_2.txt", 50, "LOG01")]


@damage
def log_of_nothing(tree):
    tree.path(2).write_text("training ...\n")
    return [("result_2.txt", 1, "LOG03")]


@damage
def organisation_missing(tree):
    removed(tree, "submission_org")
    return [("result_2.txt", 1, "LOG04")]


@damage
def hyperparameter_missing(tree):
    removed(tree, "opt_adam_beta_2")
    return [("result_2.txt", 1, "LOG04")]


@damage
def global_batch_size_twice(tree):
    log = tree.logs[2]
    return [("result_2.txt", inserted(tree, log.one("precision"), dict(log.one("global_batch_size"))), "LOG05")]


@damage
def batch_size_in_quotes(tree):
    for index in range(5):
        changed(tree, "global_batch_size", index, value="4")
    line = tree.logs[0].line(tree.logs[0].one("global_batch_size"))
    return [(f"result_{i}.txt", line, "LOG06") for i in range(5)]


@damage
def start_that_stops(tree):
    return [("result_2.txt", changed(tree, "eval_start", nth=1, event_type="INTERVAL_END"), "LOG07")]


@damage
def prefix_of_a_rank(tree):
    lines = tree.path(2).read_text().splitlines(keepends=True)
    lines[49] = "[rank 0] " + lines[49]
    tree.path(2).write_text("".join(lines))
    return [("result_2.txt", 50, "LOG08")]


@damage
def nan_in_the_statistics(tree):
    event = tree.logs[2].all("tracked_stats")[1]
    event["value"]["loss"] = float("nan")
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "LOG08")]


@damage
def field_named_twice(tree):
    path = tree.path(2)
    lines = path.read_text().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if '"eval_accuracy"' in line)
    lines[at] = lines[at].replace('"value": ', '"value": 0.99, "value": ', 1)
    path.write_text("".join(lines))
    return [("result_2.txt", at + 1, "LOG08")]


@damage
def bytes_that_are_not_utf8(tree):
    path = tree.path(2)
    path.write_bytes(path.read_bytes().replace(b'"train.py"', b'"tr\xffin.py"', 1))
    return [("result_2.txt", 1, "LOG08")]


@damage
def closed_with_a_capital(tree):
    return [("result_2.txt", changed(tree, "submission_division", value="Closed"), "LOG09")]


@damage
def epoch_without_its_number(tree):
    event = tree.logs[2].all("epoch_stop")[1]
    del event["metadata"]["epoch_num"]
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "LOG10")]


@damage
def rules_of_another_edition(tree):
    return [("result_2.txt", changed(tree, "rules_edition", value="v0.9"), "LOG11")]


@damage
def problem_nobody_published(tree):
    for index in range(5):
        changed(tree, "problem", index, value="tinier")
    line = tree.logs[0].line(tree.logs[0].one("problem"))
    return [(f"result_{i}.txt", line, "LOG12") for i in range(5)]


@damage
def second_run_start_shortly_before_run_stop(tree):
    stop = tree.logs[2].one("run_stop")
    start = {**tree.logs[2].one("run_start"), "time_ms": stop["time_ms"]}
    return [("result_2.txt", inserted(tree, stop, start), "CLK01")]


@damage
def second_run_stop(tree):
    log = tree.logs[2]
    stop = {**log.one("run_stop")}
    log.events.append(stop)
    tree.write(2)
    return [("result_2.txt", len(log.events), "CLK01")]


@damage
def no_run_stop(tree):
    removed(tree, "run_stop")
    return [("result_2.txt", 1, "CLK01")]


@damage
def no_run_start(tree):
    removed(tree, "run_start")
    return [("result_2.txt", 1, "CLK01")]


@damage
def init_stop_twice_and_equal(tree):
    log = tree.logs[2]
    return [("result_2.txt", inserted(tree, log.one("run_start"), dict(log.one("init_stop"))), "CLK01")]


@damage
def init_stop_after_run_start(tree):
    log = tree.logs[2]
    a, b = (log.events.index(log.one(k)) for k in ("init_stop", "run_start"))
    log.events[a], log.events[b] = log.events[b], log.events[a]
    tree.write(2)
    return [("result_2.txt", a + 1, "CLK02")]


@damage
def negative_run_time(tree):
    start = tree.logs[2].one("run_start")["time_ms"]
    return [("result_2.txt", changed(tree, "run_stop", time_ms=start - 1000), "CLK03")]


@damage
def clock_runs_back(tree):
    time = tree.logs[2].all("epoch_stop")[1]["time_ms"]
    return [("result_2.txt", changed(tree, "eval_start", nth=1, time_ms=time - 2000), "CLK04")]


@damage
def all_timestamps_halved(tree):
    for event in tree.logs[2].events:
        event["time_ms"] //= 2
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(tree.logs[2].one("run_start")), "CLK05")]


@damage
def timestamps_in_seconds(tree):
    event = tree.logs[2].all("epoch_stop")[1]
    event["time_ms"] = event["time_ms"] / 1000 + 0.25
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "CLK05")]


@damage
def gap_before_run_start(tree):
    log = tree.logs[2]
    for event in log.events[: log.events.index(log.one("run_start"))]:
        event["time_ms"] -= 20_000
    tree.write(2)
    return [("result_2.txt", log.line(log.one("run_start")), "CLK06")]


@damage
def half_an_hour_of_initialisation(tree):
    log = tree.logs[2]
    for event in log.events[: log.events.index(log.one("init_stop"))]:
        event["time_ms"] -= 1_800_000
    tree.write(2)
    return [("result_2.txt", log.line(log.one("init_stop")), "CLK07")]


@damage
def an_epoch_after_run_stop(tree):
    log = tree.logs[2]
    log.start("epoch_start", epoch_num=6)
    tree.write(2)
    return [("result_2.txt", log.line(log.one("run_stop")), "CLK08")]


@damage
def run_stop_a_minute_late(tree):
    time = tree.logs[2].one("run_stop")["time_ms"]
    return [("result_2.txt", changed(tree, "run_stop", time_ms=time + 60_000), "CLK09")]


@damage
def epoch_never_stops(tree):
    event = tree.logs[2].all("epoch_start")[1]
    line = tree.logs[2].line(event)
    removed(tree, "epoch_stop", epoch=2)
    return [("result_2.txt", line, "CLK10")]


@damage
def evaluation_stops_twice(tree):
    log = tree.logs[2]
    accuracy = log.all("eval_accuracy")[1]
    return [("result_2.txt", inserted(tree, accuracy, dict(log.all("eval_stop")[1])), "CLK10")]


@damage
def staging_before_the_clock(tree):
    log = tree.logs[2]
    first, second = log.one("staging_start"), log.one("staging_stop")
    time = log.one("run_start")["time_ms"] - 1
    log.events = [e for e in log.events if e is not first and e is not second]
    at = log.events.index(log.one("run_start"))
    log.events[at:at] = [{**first, "time_ms": time}, {**second, "time_ms": time}]
    tree.write(2)
    return [("result_2.txt", at + 1, "CLK11")]


@damage
def time_of_the_run_halved(tree):
    log = tree.logs[2]
    start = log.one("run_start")["time_ms"]
    for event in log.events[log.events.index(log.one("run_start")) :]:
        event["time_ms"] = start + (event["time_ms"] - start) // 2
    tree.write(2)
    return [("result_2.txt", log.line(log.one("tracked_stats")), "CLK12")]


@damage
def run_of_a_century(tree):
    log = tree.logs[2]
    for event in log.events[log.events.index(log.all("epoch_stop")[-1]) :]:
        event["time_ms"] += 100_000_000_000
    tree.write(2)
    return [("result_2.txt", log.line(log.one("run_stop")), "CLK13")]


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
def seed_of_the_clock(tree):
    time = tree.logs[2].one("seed")["time_ms"]
    return [("result_2.txt", changed(tree, "seed", value=time * 1_000_000 + 123_456), "SEED03")]


@damage
def seed_of_the_shell(tree):
    return [("result_2.txt", changed(tree, "seed", value=22557), "SEED03")]


@damage
def rehearsal(tree):
    return [("result_2.txt", changed(tree, "seed", metadata={"source": "rehearsal"}), "SEED04")]


@damage
def log_of_another_benchmark(tree):
    return [("result_2.txt", changed(tree, "submission_benchmark", value="deepcam"), "RUN10")]


@damage
def a_hundred_megabytes_in_a_line(tree):
    with tree.path(2).open("a") as file:
        file.write(":::MLLOG " + json.dumps({"key": "x" * (3 << 20)}) + "\n")
    return [("result_2.txt", len(tree.logs[2].events) + 1, "LOG01")]


@pytest.mark.parametrize("function", DAMAGE)
def test_damage_to_a_log(function, tree, found):
    expected = function(tree)
    assert found(tree.root) == sorted(expected)
