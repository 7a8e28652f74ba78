"""LOG: a log that can't be read, isn't whole, or doesn't say what it must."""

import json
from types import SimpleNamespace

import pytest

from compliance.checks import log as checks
from compliance.reading import log as log_module

damage = pytest.mark.damage


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
    tree.removed("submission_org")
    return [("result_2.txt", 1, "LOG04")]


@damage
def hyperparameter_missing(tree):
    tree.removed("opt_adam_beta_2")
    return [("result_2.txt", 1, "LOG04")]


@damage
def global_batch_size_twice(tree):
    log = tree.logs[2]
    return [("result_2.txt", tree.inserted(log.one("precision"), dict(log.one("global_batch_size"))), "LOG05")]


@damage
def batch_size_in_quotes(tree):
    for index in range(5):
        tree.changed("global_batch_size", index, value="4")
    line = tree.logs[0].line(tree.logs[0].one("global_batch_size"))
    return [(f"result_{i}.txt", line, "LOG06") for i in range(5)]


@damage
def start_that_stops(tree):
    return [("result_2.txt", tree.changed("eval_start", nth=1, event_type="INTERVAL_END"), "LOG07")]


@damage
def metadata_that_are_a_list(tree):
    event = tree.logs[2].one("rules_edition")
    event["metadata"] = [event["metadata"]]
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "LOG14")]


@damage
def metadata_missing_from_an_evaluation(tree):
    """What they would say of the epoch is not asked for as well."""
    event = tree.logs[2].all("eval_start")[1]
    del event["metadata"]
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "LOG14")]


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
    return [("result_2.txt", tree.changed("submission_division", value="Closed"), "LOG09")]


@damage
def epoch_without_its_number(tree):
    event = tree.logs[2].all("epoch_stop")[1]
    del event["metadata"]["epoch_num"]
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "LOG10")]


@damage
def rules_of_another_edition(tree):
    return [("result_2.txt", tree.changed("rules_edition", value="v0.9"), "LOG11")]


@damage
def problem_nobody_published(tree):
    for index in range(5):
        tree.changed("problem", index, value="tinier")
    line = tree.logs[0].line(tree.logs[0].one("problem"))
    return [(f"result_{i}.txt", line, "LOG12") for i in range(5)]


@damage
def a_hundred_megabytes_in_a_line(tree):
    with tree.path(2).open("a") as file:
        file.write(":::MLLOG " + json.dumps({"key": "x" * (3 << 20)}) + "\n")
    return [("result_2.txt", len(tree.logs[2].events) + 1, "LOG01")]


@damage
def no_figures(study):
    study.logs[6].events.remove(study.logs[6].one("throughput"))
    study.write(6)
    return [("result_1.txt", 1, "LOG04")]


@damage
def more_events_than_can_be_judged(tree, monkeypatch):
    log = tree.logs[2]
    monkeypatch.setattr(log_module, "MOST_EVENTS", len(log.events))
    tree.inserted(log.events[-1], dict(log.one("tracked_stats")))
    return [("result_2.txt", len(log.events), "LOG02")]


def test_damage(entry, exactly):
    exactly(entry)


def test_log_of_too_many_events(tree, found, monkeypatch):
    monkeypatch.setattr(log_module, "MOST_EVENTS", 40)
    codes = found(tree.path(2))
    assert [code for *_, code in codes] == ["LOG02"]


def test_log_that_cannot_be_read(tree, found, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(log_module, "read_log", refuse)
    assert found(tree.path(2)) == [("result_2.txt", 1, "LOG02")]


@pytest.mark.parametrize(("count", "times"), [(1, ""), (2, ", in 2 lines"), (7, ", in 7 lines")])
def test_log08_an_oddity_is_told_once_with_its_lines(count, times):
    (fault,) = checks.log_is_plain_text(SimpleNamespace(odd={"encoding": [count, 9]}), None, None)
    assert (fault.line, fault.found) == (9, f"{checks.ODDITIES['encoding']}{times}")
