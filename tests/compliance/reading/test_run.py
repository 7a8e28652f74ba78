"""What a run is: read once, the same for checks and results."""

import json
from dataclasses import replace

import pytest

from benchmark.log import Event
from compliance.engine import judge
from compliance.reading import run as module
from compliance.reading.run import LARGEST, Fact, facts_of


def run_of(tree, law, index=2):
    verdict = judge([tree.root], rules=law)
    return verdict.all_sets[0].logs[index].run, [f.code for f in verdict.findings]


def test_a_good_run(tree, law):
    run, codes = run_of(tree, law)
    log = tree.logs[2]
    start, stop = log.one("run_start"), log.one("run_stop")
    assert codes == [] and run.converged and not run.pruned
    assert run.seconds == (stop["time_ms"] - start["time_ms"]) / 1000
    assert (run.metric, run.target, run.problem) == ("eval_accuracy", 0.95, "tiny")
    assert [e.value for e in run.evaluations] == [e["value"] for e in log.all("eval_accuracy")]
    assert run.passing == run.evaluations[-1]
    assert run.value("source") == log.one("source")["value"] and run.source == log.one("source")["metadata"]["files"]
    assert {kind: len(spans) for kind, spans in run.spans.items()} == {"staging": 1, "epoch": 5, "eval": 5}


def test_the_metric_is_the_benchmarks_whatever_else_is_logged(tree, logs, law):
    """An aborted run stays aborted when the other metric is logged beside its own, and more often."""
    log = tree.logs[2] = logs.good(2, (0.5, 0.7))
    for event in log.all("eval_accuracy"):
        at = log.events.index(event)
        log.events[at:at] = [{**event, "key": "eval_error", "value": 0.0, "metadata": dict(event["metadata"])}] * 2
    tree.write(2)
    run, codes = run_of(tree, law)
    assert not run.converged and run.metric == "eval_accuracy" and len(run.evaluations) == 2
    assert codes.count("EVL14") == 4 and "EVL07" in codes


@pytest.mark.parametrize(
    ("quality", "converged"), [(0.95, True), (0.9499999999999999, False), (0.9500000000000001, True)]
)
def test_a_score_equal_to_the_target_meets_it(tree, law, quality, converged):
    tree.logs[2].all("eval_accuracy")[-1]["value"] = quality
    tree.write(2)
    run, codes = run_of(tree, law)
    assert run.converged is converged
    assert "EVL05" in codes  # it does not follow from its counts, which is another fault


def test_the_first_run_stop_ends_the_run(tree, law):
    log = tree.logs[2]
    before = run_of(tree, law)[0].seconds
    log.stop("run_stop", after=40_000, status="success", epoch_num=5)
    tree.write(2)
    run, codes = run_of(tree, law)
    assert run.seconds == before and "CLK01" in codes


def test_evaluations_outside_the_run_do_not_count(tree, law):
    log = tree.logs[2]
    passing = log.all("eval_accuracy")[-1]
    passing["time_ms"] = log.one("run_stop")["time_ms"] + 1
    tree.write(2)
    assert not run_of(tree, law)[0].converged
    passing["time_ms"] -= 1
    tree.write(2)
    assert run_of(tree, law)[0].converged


def fact(value, line=1):
    return Event(line, 0, "POINT_IN_TIME", "k", value, {})


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("x" * LARGEST, "x" * LARGEST),
        ("x" * (LARGEST + 1), "too large to be kept"),
        ([["x" * LARGEST]], "too large to be kept"),
        (json.loads("[" * 16 + "]" * 16), json.loads("[" * 16 + "]" * 16)),
        (json.loads("[" * 17 + "]" * 17), "nested too deeply"),
    ],
)
def test_a_value_is_kept_as_far_as_it_is_small(value, kept):
    assert facts_of({"k": fact(value)}, {})["k"].value == kept


def test_of_keys_that_no_rule_knows_so_much_is_kept(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_ALL", 100)
    found = facts_of({"a": fact("x" * 500)}, {"b": fact("y" * 90), "c": fact("z" * 9), "d": fact(1)})
    assert {key: len(str(f.value)) for key, f in found.items()} == {"a": 500, "b": 90}


def test_what_a_run_takes_is_counted(tree, law):
    run, _ = run_of(tree, law)
    facts = {**run.facts, "more": Fact(1, "x" * 1000)}
    assert 1000 <= replace(run, facts=facts).kept - run.kept <= 1200 and 1000 < run.kept < 50_000


def test_so_much_is_read_and_no_more():
    assert module.MOST == 20_000
    assert module.MOST_SEEDS == 1000
    assert module.MOST_RESUMED == 1000
    assert module.DEEPEST == 16
    assert module.LARGEST == 65_536
    assert module.LARGEST_ALL == 2**20
    assert module.EXACT == 2**53
