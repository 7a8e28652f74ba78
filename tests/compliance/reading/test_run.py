"""What a run is: read once, the same for checks and results."""

import json
import math
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
    assert module.MOST_SEEDS == 1000
    assert module.MOST_RESUMED == 1000
    assert module.DEEPEST == 16
    assert module.LARGEST == 65_536
    assert module.LARGEST_ALL == 2**20
    assert module.EXACT == 2**53


@pytest.mark.parametrize(
    ("time", "kept"),
    [
        (module.EXACT - 1, module.EXACT - 1),
        (module.EXACT, None),
        (1 - module.EXACT, 1 - module.EXACT),
        (-module.EXACT, None),
        (2.6, 3),
        (float(module.EXACT), None),
        (-float(module.EXACT), None),
        (math.nan, None),
        (True, None),
        ("5", None),
    ],
)
def test_times_are_whole_milliseconds_that_are_exact(time, kept):
    assert module._mark(fact(1)._replace(time_ms=time)) == module.Mark(1, kept)


def read(logs, *events):
    return logs.read(*(logs.event(line, key, time, value) for line, (key, time, value) in enumerate(events, 1)))


def test_a_span_without_an_end_closes_where_the_next_begins_or_at_the_runs_end(logs):
    log = read(
        logs,
        ("epoch_start", 10, None),
        ("epoch_start", 20, None),
        ("epoch_stop", 30, None),
        ("epoch_stop", 35, None),
        ("epoch_start", 40, None),
        ("epoch_stop", None, None),
    )
    stop = module.Mark(9, 50)
    assert module._spans(log, "epoch", stop) == [(10, 20), (20, 30), (40, 50)]
    for none in (None, module.Mark(9, None)):
        assert module._spans(log, "epoch", none) == [(10, 20), (20, 30)]
    assert module._last_line(log, "epoch") == 6 and module._last_line(log, "eval") == 0


@pytest.mark.parametrize(
    ("events", "rate"),
    [
        ([("tracked_stats", {"throughput": 2.0}), ("tracked_stats", {"throughput": 6.0})], 3.0),
        ([("throughput", {"throughput": 0.5}), ("tracked_stats", {"throughput": 0}), ("tracked_stats", 1.5)], 0.75),
        ([("tracked_stats", {"throughput": -1.0}), ("tracked_stats", {"loss": 1})], None),
    ],
)
def test_a_rate_is_the_harmonic_mean_of_what_is_above_zero(logs, events, rate):
    found = module._rate(read(logs, *((key, i, value) for i, (key, value) in enumerate(events))))
    assert found == (None if rate is None else pytest.approx(rate))


def test_a_run_without_a_later_stop_has_no_timed_span(tree, law):
    run, _ = run_of(tree, law)
    start, stop = run.start.time_ms, run.stop.time_ms
    assert run.window == (start, stop) == (run.start_ms, run.stop_ms)
    assert replace(run, stop=run.stop._replace(time_ms=start + 1)).window == (start, start + 1)
    for none in (None, run.stop._replace(time_ms=start), run.stop._replace(time_ms=None)):
        assert replace(run, stop=none).window is replace(run, stop=none).seconds is None
    assert replace(run, stop=None).stop_line == run.last_line and run.stop_line == run.stop.line
    assert replace(run, start=None).start_ms is replace(run, stop=None).stop_ms is None


def test_what_a_run_does_not_say(tree, law):
    run, _ = run_of(tree, law)
    assert run.value("nothing", 7) == 7 and run.line("nothing") == 1
    assert replace(run, facts={"x": Fact(9, None)}).value("x", 7) == 7
    assert replace(run, facts={"x": Fact(9, 0)}).value("x", 7) == 0
    assert run.set_path == str(tree.path(2).parent)
    assert replace(run, pruned=True).set_path == str(tree.path(2).parent.parent)
