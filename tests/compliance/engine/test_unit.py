"""Judging a log or a unit: checks that break, failures that are forgiven, and where a budget ends."""

from dataclasses import replace

import pytest

from compliance.engine import judge, unit
from compliance.engine.unit import Unit, benchmark_of, judge_log, only_failed
from compliance.finding import Fault, Finding
from compliance.reading.tree import log_file
from compliance.reviewing.waiver import Waiver, Waivers
from compliance.rule import CHECKS, ordered, premises
from rules.edition import load
from tests.compliance import made


def test_check_that_breaks_says_so_and_the_others_go_on(tree, law, monkeypatch):
    def breaks(run, law, time):
        raise ZeroDivisionError("nobody thought of that")
        yield

    check = replace(CHECKS["LOG07"], function=breaks)
    monkeypatch.setattr(unit, "ordered", lambda level, codes: (check, *ordered(level, codes)) if level == "log" else ())
    tree.logs[2].one("seed")["value"] = 5
    verdict = judge([tree.write(2)], rules=law)
    assert {f.code for f in verdict.findings} == {"LOG07", "SEED03"}
    assert unit.BROKE in verdict.findings[0].sentence
    told = "found ZeroDivisionError: nobody thought of that, wanted no error; please report it"
    assert (verdict.findings[0].line, verdict.findings[0].details()) == (1, told)
    assert verdict.exit_code == 1


def test_faults_beyond_those_listed_are_counted_by_severity(monkeypatch):
    """So that thousands of warnings hide neither their number nor an error."""

    def finds():
        for line in range(1, 8):
            yield Fault(line, f"line {line}", "none", severity="error" if line == 6 else "warning")

    monkeypatch.setattr(unit, "MOST_FAULTS", 3)
    found = list(unit.faults_of(replace(CHECKS["LOG07"], function=finds)))
    assert [f.found for f in found[:3]] == ["line 1", "line 2", "line 3"]
    assert [(f.line, f.found, f.wanted, f.severity) for f in found[3:]] == [
        (4, "3 more from here on", "none", "warning"),
        (6, "1 more from here on", "none", "error"),
    ]
    monkeypatch.setattr(unit, "MOST_FAULTS", 7)
    assert len(list(unit.faults_of(replace(CHECKS["LOG07"], function=finds)))) == 7


@pytest.mark.parametrize(
    ("edition", "code", "what", "wanted"),
    [
        ("v1.0", "EVL07", "best eval_accuracy 0.8", True),
        ("v1.0", "CLK01", "no run_stop", False),
        ("mlperf-hpc-v0.7", "CLK01", "no run_stop", True),
        ("mlperf-hpc-v0.7", "CLK01", "no run_start", False),
        ("mlperf-hpc-v0.7", "CLK02", "no run_stop", False),
    ],
)
def test_failures_are_missed_targets_and_ends_that_are_forgiven(edition, code, what, wanted):
    finding = Finding("result_0.txt", 1, code, "error", "Something", found=what)
    assert only_failed(finding, load(edition).limits) is wanted


@pytest.mark.parametrize(("severities", "found"), [(("warning", "error", "warning"), 0), (("warning", "review"), 1)])
def test_an_error_of_a_gate_stops_the_checks_of_a_log(tree, law, monkeypatch, severities, found):
    gate = replace(
        CHECKS["LOG03"], function=lambda *_: (Fault(n, "x", "y", severity=s) for n, s in enumerate(severities, 1))
    )
    last = replace(CHECKS["LOG07"], function=lambda *_: [Fault(1, "x", "y")])
    monkeypatch.setattr(unit, "ordered", lambda *_: (gate, last))
    one = Unit(load("v1.0", law), None, (), {})
    codes = [f.code for f in judge_log(one, log_file(tree.write(0), "result_0.txt")).findings]
    assert codes == ["LOG03"] * len(severities) + ["LOG07"] * found


def test_the_benchmark_of_a_set_is_its_folders_or_all_its_runs():
    ours, bare = load("v1.0"), replace(made.a_set(), place=replace(made.a_set().place, benchmark=""))
    one, other = made.run(benchmark="scaffold"), made.run(1, benchmark="deepcam")
    stopped = replace(other, codes=frozenset({"RUN10"}))
    assert benchmark_of(bare, [one, one, stopped], ours) == benchmark_of(made.a_set(), [other], ours) == "scaffold"
    assert benchmark_of(bare, [one, other], ours) == benchmark_of(bare, [stopped], ours) == ""
    assert benchmark_of(made.a_set(), [one], load("mlperf-hpc-v3.0")) == ""


def test_a_log_that_breaks_a_premise_is_left_out_of_its_set(environed, law, tmp_path):
    """SYS10 and LOG06 say that its devices and ranks are wrong: SYS11 and ENV08 compare the other logs alone."""
    environed.changed(
        "devices", 1, value=[{**environed.logs[1].one("devices")["value"][0], "name": "other", "ranks": 7}]
    )
    environed.changed("number_of_ranks", 2, value="one")
    environed.changed("devices", 3, value=[{**environed.logs[3].one("devices")["value"][0], "name": "third"}])

    def told(**waivers):
        found = judge([environed.root], rules=law, **waivers).findings
        return sorted((f.code, f.path.rpartition("/")[2]) for f in found if f.code in wanted)

    wanted = ("LOG06", "SYS10", "SYS11", "ENV08")
    assert told() == [
        ("ENV08", "environment_3.json"),
        ("LOG06", "result_2.txt"),
        ("SYS10", "result_1.txt"),
        ("SYS11", "result_3.txt"),
    ]
    waived = Waivers("w", ((1, Waiver("acme", "SYS10", "result_1.txt", "agreed", "r")),))
    assert ("SYS11", "result_1.txt") in told(waivers=waived)


def test_every_premise_counts():
    """One of a log for a rule on its set, or of the layout for a rule on a set or a submission; else on one level."""
    known = {("log", "set"), ("tree", "set"), ("tree", "submission")}
    across = {
        (CHECKS[p].level, c.level) for c in CHECKS.values() for p in premises(c.code) if CHECKS[p].level != c.level
    }
    assert across <= known
