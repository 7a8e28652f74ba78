"""LOG: a log that can't be read, isn't whole, or doesn't say what it must."""

import json

import pytest

from compliance.engine import judge
from compliance.reading import log as log_module
from tests.compliance.catalogue import event_changed
from tests.compliance.families.damages import files_changed, log_changed

damage = pytest.mark.damage


@damage
def second_part_of_a_resumed_log(tree, logs):
    resumed = logs.interrupt(tree.logs[2])
    tree.logs[2].events = tree.logs[2].events[tree.logs[2].events.index(resumed) :]
    tree.write(2)
    return [("result_2.txt", 1, "LOG04")]


def rewritten(tree, line, change):
    """Change a line of run 2, without its end; its number."""
    lines = tree.path(2).read_text().splitlines()
    lines[line - 1] = change(lines[line - 1])
    tree.path(2).write_text("\n".join(lines) + "\n")
    return line


truncated_json = log_changed("LOG01", lambda tree, log: rewritten(tree, 50, lambda text: text[:60]))
log_of_nothing = files_changed("LOG03", "result_2.txt", lambda tree: tree.path(2).write_text("training ...\n"))
organisation_missing = files_changed("LOG04", "result_2.txt", lambda tree: tree.removed("submission_org"))
global_batch_size_twice = log_changed(
    "LOG05", lambda tree, log: tree.inserted(log.one("precision"), dict(log.one("global_batch_size")))
)
batch_size_in_quotes = event_changed("LOG06", "global_batch_size", runs=range(5), value="4")
start_that_stops = event_changed("LOG07", "eval_start", nth=1, event_type="INTERVAL_END")
prefix_of_a_rank = log_changed("LOG08", lambda tree, log: rewritten(tree, 50, lambda text: f"[rank 0] {text}"))
closed_with_a_capital = event_changed("LOG09", "submission_division", value="Closed")
epoch_without_its_number = event_changed("LOG10", "epoch_stop", nth=1, metadata={"epoch_num": None})
rules_of_another_edition = event_changed("LOG11", "rules_edition", value="v0.9")
problem_nobody_published = event_changed("LOG12", "problem", runs=range(5), value="tinier")


@damage
def metadata_missing_from_an_evaluation(tree):
    """What they would say of the epoch is not asked for as well."""
    event = tree.logs[2].all("eval_start")[1]
    del event["metadata"]
    return [("result_2.txt", tree.written(event), "LOG14")]


@damage
def field_named_twice(tree):
    line = tree.logs[2].line(tree.logs[2].one("eval_accuracy"))
    twice = rewritten(tree, line, lambda text: text.replace('"value": ', '"value": 0.99, "value": ', 1))
    return [("result_2.txt", twice, "LOG08")]


@damage
def a_hundred_megabytes_in_a_line(tree):
    with tree.path(2).open("a") as file:
        file.write(":::MLLOG " + json.dumps({"key": "x" * (3 << 20)}) + "\n")
    return [("result_2.txt", len(tree.logs[2].events) + 1, "LOG01")]


@damage
def more_events_than_can_be_judged(tree, monkeypatch):
    log = tree.logs[2]
    monkeypatch.setattr(log_module, "MOST_EVENTS", len(log.events))
    tree.inserted(log.events[-1], dict(log.one("tracked_stats")))
    return [("result_2.txt", len(log.events), "LOG02")]


def test_damage(entry, exactly):
    exactly(entry)


def test_log_that_cannot_be_read(tree, found, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(log_module, "read_log", refuse)
    assert found(tree.path(2)) == [("result_2.txt", 1, "LOG02")]


@pytest.mark.parametrize("code", ["LOG02", "LOG03"])
def test_a_set_with_a_log_that_cannot_be_read_is_not_judged_by_all_rules(tree, law, monkeypatch, code):
    if code == "LOG02":
        more_events_than_can_be_judged(tree, monkeypatch)
    else:
        log_of_nothing(tree)
    (runs,) = judge([tree.root], rules=law).all_sets
    assert runs.unjudged.endswith(f"result_2.txt could not be judged further ({code})")


def errors_of(tree, law):
    return sorted((f.code, f.line) for f in judge([tree.path(2)], rules=law).findings if f.severity == "error")


def test_a_value_of_the_wrong_type_hides_what_reads_this_key_alone(tree, law):
    """The seed, the digest of the settings and the precision are judged, though `layout` is text."""
    layout, seed = tree.changed("layout", value="one"), tree.changed("seed", value=5)
    digest = tree.changed("config_digest", value="0" * 64)
    assert errors_of(tree, law) == sorted([("HYP04", digest), ("LOG06", layout), ("SEED03", seed)])
    ranks = tree.changed("number_of_ranks", value="two")  # MOD02, SYS08 and SYS10 read it
    devices = tree.changed("devices", value=[{"host": "a"}])
    assert ("LOG06", ranks) in errors_of(tree, law) and ("SYS10", devices) not in errors_of(tree, law)


def test_a_bad_line_hides_what_reads_its_key_alone(tree, law):
    """Without the line the log has no seed source, so to say: what else is wrong is told in the same round."""
    event = tree.logs[2].one("config_digest")
    target = tree.changed("target", value=0.5)
    at = rewritten(tree, tree.logs[2].line(event), lambda text: text[:-1])
    assert errors_of(tree, law) == sorted([("EVL10", target), ("LOG01", at)])


def test_a_bad_line_that_names_no_key_may_be_of_any(tree, law):
    tree.changed("target", value=0.5)
    at = rewritten(tree, tree.logs[2].line(tree.logs[2].one("config_digest")), lambda text: ":::MLLOG {")
    assert errors_of(tree, law) == [("LOG01", at)]


@damage
def epoch_without_statistics(tree):
    line = tree.logs[2].line(tree.logs[2].all("epoch_stop")[2]) - 1
    tree.removed("tracked_stats", epoch=3)
    return [("result_2.txt", line, "LOG13")]


@damage
def statistics_without_a_loss(tree):
    event = tree.logs[2].all("tracked_stats")[1]
    del event["value"]["loss"]
    return [("result_2.txt", tree.written(event), "LOG13")]


def test_log13_statistics_come_once(tree, codes_of):
    event = tree.logs[2].all("tracked_stats")[1]
    tree.inserted(event, dict(event))
    assert codes_of(tree) == ["LOG13"]
