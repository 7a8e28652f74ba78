"""The catalogue of damage, continued: logs that measure throughput alone."""

import pytest

from benchmark.tree import result_path
from compliance.engine import judge
from compliance.impact import with_impact
from compliance.output.json import document
from compliance.output.text import render
from compliance.report import Report, summaries
from rules.edition import load


@pytest.fixture
def study(tree, logs):
    """A good submission that has a scaling study beside its runs: 1, 2 and 4 ranks."""
    digest = tree.logs[0].one("source_digest")["value"]
    tree.study = [logs.throughput(10 + i, ranks, digest) for i, ranks in enumerate((1, 2, 4))]
    for index in range(3):
        again(tree, index)
    return tree


def again(tree, index):
    """Write a log of the study again."""
    return tree.study[index].write(place(tree, index))


def place(tree, index):
    return result_path(tree.root, "box", "scaffold", index, "throughput")


def changed(tree, key, nth=0, **fields):
    """Change an event of the study's log of 2 ranks; its line."""
    event = tree.study[1].all(key)[nth]
    event.update(fields)
    again(tree, 1)
    return tree.study[1].line(event)


DAMAGE = []


def damage(function):
    """An entry of the catalogue: damages the study, returns the findings that must come and no others."""
    DAMAGE.append(pytest.param(function, id=function.__name__))
    return function


@damage
def rate_raised(tree, logs):
    value = {**tree.study[1].all("tracked_stats")[1]["value"], "throughput": 17.0}
    return [("result_1.txt", changed(tree, "tracked_stats", 1, value=value), "THR04")]


@damage
def total_raised(tree, logs):
    return [("result_1.txt", changed(tree, "throughput", value=logs.rate(0.1)), "THR04")]


@damage
def steps_faster_than_the_clock(tree, logs):
    """Steps that take longer than there was time for: the samples were fewer, or the clock was turned."""
    block = changed(tree, "tracked_stats", 1, value=logs.rate(0.9))
    total = tree.study[1].line(tree.study[1].one("throughput"))
    return [("result_1.txt", line, "THR04") for line in (block, total)]


@damage
def block_without_samples(tree, logs):
    metadata = {"steps": 4, "samples_count": 0}
    return [("result_1.txt", changed(tree, "tracked_stats", 2, metadata=metadata), "THR04")]


@damage
def no_figures(tree, logs):
    tree.study[1].events.remove(tree.study[1].one("throughput"))
    again(tree, 1)
    return [("result_1.txt", 1, "LOG04")]


@damage
def study_without_a_seed(tree, logs):
    tree.study[1].events.remove(tree.study[1].one("seed"))
    again(tree, 1)
    return [("result_1.txt", 1, "SEED01")]


@damage
def seed_of_a_run(tree, logs):
    return [("result_1.txt", changed(tree, "seed", value=tree.logs[0].one("seed")["value"]), "SEED05")]


@damage
def layout_of_more_ranks(tree, logs):
    layout = {"data": 8, "depth": 1, "height": 1, "width": 1}
    return [("result_1.txt", changed(tree, "layout", value=layout), "MOD02")]


@damage
def study_of_another_code(tree, logs):
    return [("result_1.txt", changed(tree, "source_digest", value="0" * 64), "RUN04")]


@damage
def study_of_another_platform(tree, logs):
    for index in range(3):
        tree.study[index].one("submission_platform")["value"] = "crate"
        again(tree, index)
    line = tree.study[0].line(tree.study[0].one("submission_platform"))
    return [("result_0.txt", line, "RUN12")]


@damage
def more_samples_than_published(tree, logs):
    return [("result_1.txt", changed(tree, "train_samples", value=9), "DATA02")]


@damage
def run_in_the_study(tree, logs):
    logs.good(20, digest=tree.logs[0].one("source_digest")["value"]).write(place(tree, 3))
    return [("result_3.txt", 1, "THR03")]


@damage
def word_for_true(tree, logs):
    """A log that doesn't say so properly is a run, and lies in the wrong place."""
    found = [("result_1.txt", changed(tree, "throughput_only", value="true"), "LOG06")]
    line = tree.study[1].line(tree.study[1].one("run_stop"))
    return [*found, ("result_1.txt", 7, "THR03"), ("result_1.txt", line, "EVL08")]


@pytest.mark.parametrize("function", DAMAGE)
def test_damage_to_a_study(function, study, logs, found):
    expected = function(study, logs)
    assert found(study.root) == sorted(expected)


def test_good_study_has_no_finding(study, found):
    assert found(study.root) == []
    assert found(place(study, 0).parent) == []
    assert found(place(study, 2)) == []


@pytest.mark.parametrize("more", [False, True])
def test_throughput_log_among_runs(study, logs, found, more):
    """In place of a run, which may have failed, or beside the runs."""
    index = 5 if more else 2
    study.study[1].write(study.path(index))
    place(study, 1).unlink()
    place(study, 2).rename(place(study, 1))
    line = study.study[1].line(study.study[1].one("throughput_only"))
    assert found(study.root) == [(f"result_{index}.txt", line, "THR03")]
    assert found(study.path(0).parent) == [(f"result_{index}.txt", line, "THR03")]


def test_other_rounds_know_no_such_log(study, law):
    verdict = judge([str(place(study, 0))], "mlperf-hpc-v3.0", rules=law)
    assert not verdict.logs[0].facts.throughput_only and verdict.exit_code == 1


def test_the_judge_says_what_it_is(study, law):
    def told(path):
        verdict = judge([str(path)], rules=law)
        editions = {"v1.0": load("v1.0", law)}
        findings = with_impact(verdict, editions)
        report = Report(findings, summaries(verdict, findings, editions), verdict.missed, editions, verdict.exit_code)
        assert verdict.exit_code == 0
        return render(report), document(report)["summaries"][0]

    alone, summary = told(place(study, 1))
    codes = load("v1.0", law).throughput_codes
    assert "1 log (throughput-only: no scored run) by the rules v1.0: nothing found" in alone
    assert summary["throughput_only"] == 1 and summary["rules"] == summary["passed"] < len(codes)
    assert "8 logs (3 of them throughput-only: no scored run)" in told(study.root)[0]
    assert "throughput-only" not in told(study.path(0))[0]
