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
