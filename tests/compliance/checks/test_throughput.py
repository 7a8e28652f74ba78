"""THR: throughput sets, and logs that measure throughput alone."""

import pytest

from compliance.engine import judge
from compliance.impact import with_impact
from compliance.output.json import document
from compliance.output.text import render
from compliance.report import Report, summaries
from rules.edition import load

damage = pytest.mark.damage


@damage
def rate_raised(study):
    value = {**study.logs[6].all("tracked_stats")[1]["value"], "throughput": 17.0}
    return [("result_1.txt", study.changed("tracked_stats", nth=1, value=value), "THR04")]


@damage
def total_raised(study, logs):
    return [("result_1.txt", study.changed("throughput", value=logs.rate(0.1)), "THR04")]


@damage
def steps_faster_than_the_clock(study, logs):
    """Steps that take longer than there was time for: the samples were fewer, or the clock was turned."""
    block = study.changed("tracked_stats", nth=1, value=logs.rate(0.9))
    total = study.logs[6].line(study.logs[6].one("throughput"))
    return [("result_1.txt", line, "THR04") for line in (block, total)]


@damage
def block_without_samples(study):
    metadata = {"steps": 4, "samples_count": 0}
    return [("result_1.txt", study.changed("tracked_stats", nth=2, metadata=metadata), "THR04")]


@damage
def run_in_the_study(study, logs):
    logs.good(8).write(study.path(8))
    return [("result_3.txt", 1, "THR03")]


@damage
def word_for_true(study):
    """A log that doesn't say so properly is a run, and lies in the wrong place."""
    found = [("result_1.txt", study.changed("throughput_only", value="true"), "LOG06")]
    line = study.logs[6].line(study.logs[6].one("run_stop"))
    return [*found, ("result_1.txt", 7, "THR03"), ("result_1.txt", line, "EVL08")]


@damage
def more_instances_at_once_than_nodes(weak):
    weak.described(number_of_nodes="1")
    return [("result_1.txt", weak.logs[1].line(weak.logs[1].one("number_of_nodes")), "THR01")]


@damage
def more_accelerators_at_once_than_a_node_has(weak):
    """Two instances of two accelerators each share a node that has three."""
    weak.described(number_of_nodes="1", accelerators_per_node="3", accelerator_model_name="An accelerator")
    for index, log in enumerate(weak.logs):
        uuids = [f"{index}-{rank}" for rank in range(2)]
        log.one("devices")["value"] = [
            {"host": "n1", "kind": "cuda", "name": "An accelerator", "ranks": 2, "uuids": uuids}
        ]
        log.one("accelerators_per_node")["value"] = 2
        weak.settings(index, device="cuda")
    return [("result_1.txt", weak.logs[1].line(weak.logs[1].one("devices")), "THR01")]


@damage
def one_instance_after_another(weak):
    for index, log in enumerate(weak.logs):
        for event in log.events:
            event["time_ms"] += 3_600_000 * index
        weak.write(index)
    return [("result_0.txt", weak.logs[0].line(weak.logs[0].one("run_start")), "THR05")]


@damage
def nodes_of_the_whole_system_in_every_instance(weak):
    weak.options = {"edition": "whole-systems"}  # of rounds where instances are known to do so
    for index, log in enumerate(weak.logs):
        log.one("rules_edition")["value"], log.one("number_of_nodes")["value"] = "whole-systems", 2
        (named,) = log.one("devices")["value"]
        log.one("devices")["value"] = [{**named, "host": host, "ranks": named["ranks"] // 2} for host in ("n1", "n2")]
        for event in log.events:  # one after the other
            event["time_ms"] += 3_600_000 * index
        weak.write(index)
    return [("scaffold", 1, "THR02")]


@damage
def throughput_log_in_place_of_a_run(study):
    study.logs[6].write(study.path(2))
    for index in (6, 7):
        study.path(index).unlink()
    line = study.logs[6].line(study.logs[6].one("throughput_only"))
    return [("result_2.txt", line, "THR03")]


def test_damage(entry, exactly):
    exactly(entry)


def test_good_throughput_set(weak, found):
    assert found(weak.root) == []


def test_a_node_that_instances_share_counts_once(weak, found):
    weak.described(number_of_nodes="1")
    for index, log in enumerate(weak.logs):
        log.one("devices")["value"][0]["host"] = "n1"
        weak.write(index)
    assert found(weak.root) == []


@pytest.mark.parametrize("number, codes", [("1", {"RUN16", "THR01"}), ("2", {"THR01"}), ("4", set()), ("5", set())])
def test_instances_may_have_some_of_a_nodes_accelerators(weak, found, number, codes):
    weak.described(number_of_nodes="1", accelerators_per_node=number, accelerator_model_name="An accelerator")
    for index, log in enumerate(weak.logs):
        uuids = [f"{index}-{rank}" for rank in range(2)]
        log.one("devices")["value"] = [
            {"host": "n1", "kind": "cuda", "name": "An accelerator", "ranks": 2, "uuids": uuids}
        ]
        log.one("accelerators_per_node")["value"] = 2
        weak.settings(index, device="cuda")
    assert {code for _, _, code in found(weak.root)} == codes


@pytest.mark.parametrize("late, severities", [(-1, []), (0, ["review"]), (1, ["review"])])
def test_an_instance_by_itself_is_for_people(weak, law, late, severities):
    """Instance 0 starts as instance 1 stops, or one millisecond off."""
    by = weak.logs[1].one("run_stop")["time_ms"] - weak.logs[0].one("run_start")["time_ms"] + late
    for event in weak.logs[0].events:
        event["time_ms"] += by
    weak.write(0)
    findings = judge([str(weak.root)], rules=law).findings
    assert [f.severity for f in findings if f.code == "THR05"] == severities


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


def test_good_study_has_no_finding(study, found):
    assert found(study.root) == []
    assert found(study.path(5).parent) == []
    assert found(study.path(7)) == []


@pytest.mark.parametrize("more", [False, True])
def test_throughput_log_among_runs(study, logs, found, more):
    """In place of a run, which may have failed, or beside the runs."""
    index = 5 if more else 2
    study.logs[6].write(study.path(0).with_name(f"result_{index}.txt"))
    study.path(6).unlink()
    study.path(7).rename(study.path(6))
    line = study.logs[6].line(study.logs[6].one("throughput_only"))
    assert found(study.root) == [(f"result_{index}.txt", line, "THR03")]
    assert found(study.path(0).parent) == [(f"result_{index}.txt", line, "THR03")]


def test_other_rounds_know_no_such_log(study, law):
    verdict = judge([str(study.path(5))], "mlperf-hpc-v3.0", rules=law)
    assert not verdict.logs[0].run.throughput_only and verdict.exit_code == 1


def test_the_judge_says_what_it_is(study, law):
    def told(path):
        verdict = judge([str(path)], rules=law)
        editions = {"v1.0": load("v1.0", law)}
        findings = with_impact(verdict, editions)
        report = Report(findings, summaries(verdict, findings, editions), verdict.missed, editions, verdict.exit_code)
        assert verdict.exit_code == 0
        return render(report), document(report)["summaries"][0]

    alone, summary = told(study.path(6))
    assert (
        "1 log (throughput-only: no scored run) by the rules v1.0, without a submission\n" in alone
        and alone.endswith("\n  in order\n")
    )
    scored = told(study.path(0))[1]
    assert summary["throughput_only"] == 1 and summary["rules"] == summary["passed"] < scored["rules"]
    assert "8 logs (3 of them throughput-only: no scored run)" in told(study.root)[0]
    assert "throughput-only" not in told(study.path(0))[0]
