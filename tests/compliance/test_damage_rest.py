"""The catalogue of damage, the rest: throughput sets, logs and trees without bound, and what the catalogue covers."""

import re
from pathlib import Path

import pytest

import compliance.checks  # noqa: F401  registers the checks
from compliance import discover, run
from compliance.rule import CHECKS


@pytest.fixture
def weak(tmp_path, logs):
    """A good throughput set: six instances of one node, two at a time, on a system of two; one was pruned."""
    tree = logs.Tree(tmp_path, runs=6, scaling="weak")
    tree.write_system({**logs.SYSTEM, "number_of_nodes": "2"})
    pruned = tree.path(0).parent / "pruned_results"
    pruned.mkdir()
    tree.path(5).rename(pruned / "result_5.txt")
    start = tree.logs[0].events[0]["time_ms"]
    for index, log in enumerate(tree.logs):
        shift = start + 3_600_000 * (index // 2) - log.events[0]["time_ms"]
        for event in log.events:
            event["time_ms"] += shift
        log.write(pruned / "result_5.txt" if index == 5 else tree.path(index))
    return tree


def test_good_throughput_set(weak, found):
    assert found(weak.root) == []


def test_more_instances_at_once_than_nodes(weak, logs, found):
    weak.write_system({**logs.SYSTEM, "number_of_nodes": "1"})
    line = weak.logs[1].line(weak.logs[1].one("number_of_nodes"))
    assert found(weak.root) == [("result_1.txt", line, "THR01")]


def test_instance_of_no_nodes(weak, found):
    event = weak.logs[1].one("number_of_nodes")
    event["value"] = 0
    weak.write(1)
    assert found(weak.root) == [("result_1.txt", weak.logs[1].line(event), "LOG06")]


def test_pruned_log_is_judged_too(weak, found):
    path = weak.path(0).parent / "pruned_results" / "result_5.txt"
    weak.logs[5].events.pop()
    weak.logs[5].write(path)
    assert found(weak.root) == [("result_5.txt", 1, "CLK01")]


def test_log_of_too_many_events(tree, found, monkeypatch):
    monkeypatch.setattr(run, "MOST_EVENTS", 40)
    codes = found(tree.path(2))
    assert [code for *_, code in codes] == ["LOG02"]


def test_log_that_cannot_be_read(tree, found, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(run, "read_log", refuse)
    assert found(tree.path(2)) == [("result_2.txt", 1, "LOG02")]


def test_tree_of_too_many_entries(tree, found, monkeypatch):
    monkeypatch.setattr(discover, "MOST_ENTRIES", 12)
    assert ("acme", 1, "TREE07") in found(tree.root)


def test_catalogue_has_every_rule_and_sixty_kinds():
    """Every check has a damage that it alone finds: its code is among what a test of the catalogue expects."""
    texts = [p.read_text() for p in Path(__file__).parent.glob("test_*.py")]
    expected = {code for text in texts for code in re.findall(r'"([A-Z]{2,4}\d{2})"', text)}
    assert set(CHECKS) - expected == set()
    kinds = sum(text.count("@damage\n") for text in texts)
    assert kinds >= 60
