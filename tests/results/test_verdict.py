"""The judge's word on a set, and what becomes of a score that it objects to."""

import json

import pytest

from compliance.finding import Finding
from results import summarize
from results.submission import find_sets
from results.verdict import UNJUDGED, Verdict, judge, touches


def finding(path="a", severity="error", waived="", code="RUN01"):
    return Finding(path, 3, code, severity, "Something holds", found="1", wanted="2", waived=waived)


def test_words():
    assert UNJUDGED.word == "not judged"
    assert Verdict(True).word == "clean"
    assert Verdict(True, (finding(),)).word == "1 error"
    assert Verdict(True, (finding(), finding("b"))).word == "2 errors"
    assert Verdict(True, (finding(severity="review"),)).word == "review"
    assert Verdict(True, (finding(severity="warning"),)).word == "clean"


def test_only_errors_that_nobody_waived_object():
    assert Verdict(True, (finding(waived="reviewer: known"), finding(severity="review"))).objection is None
    objection = Verdict(True, (finding(), finding("b"))).objection
    assert objection == "not in order: 2 errors, the first: RUN01 Something holds (found 1, wanted 2)"


def test_errors_in_pruned_logs_are_named_and_take_no_number_away(tree, new_log, capsys):
    assert Verdict(True, (), (finding(),)).word == "1 pruned error"
    assert Verdict(True, (), (finding(),)).objection is None
    assert Verdict(True, (finding(severity="review"),), (finding(),)).word == "review"
    good = [new_log.scaffold(50 + i, seed=1 + i) for i in range(3)]
    tree.set(good, scaling="weak", pruned=[new_log.scaffold(60, seed=9, stop=False)])
    (runs,) = find_sets([tree.root])
    verdict = judge([runs], [tree.root])[runs.name]
    pruned = [f for f in verdict.everything if "pruned_results" in f.path]
    assert "CLK01" in {f.code for f in pruned}
    assert pruned == list(verdict.aside) and not set(pruned) & set(verdict.findings)
    summarize.main([str(tree.root), "--as-logged", "--format", "json"])
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert (row["errors"], row["pruned_errors"]) == (len(verdict.errors), len(verdict.pruned_errors))


@pytest.mark.parametrize(
    ("path", "concerned"),
    [
        ("acme/systems/box.json", True),
        ("acme/systems/other.json", False),
        ("acme/benchmarks/scaffold/implementations/pytorch/train.py", True),
        ("acme/benchmarks/deepcam/implementations/x/train.py", False),
        ("acme/README", True),
        ("acme", True),
    ],
)
def test_which_sets_a_finding_concerns(tree, new_log, path, concerned):
    tree.set([new_log.scaffold()])
    (runs,) = find_sets([tree.root])
    assert touches(finding(path), runs) is concerned


def test_a_set_that_is_not_in_order_has_no_score(tree, new_log, capsys):
    """These logs lack most of what the rules want."""
    tree.set([new_log.scaffold(50 + i, seed=1 + i) for i in range(5)])
    (runs,) = find_sets([tree.root])
    verdict = judge([runs], [tree.root])[runs.name]
    assert verdict.errors
    assert summarize.main([str(tree.root)]) == 1
    shown = capsys.readouterr().out
    assert "no score: not in order: " in shown and f"{verdict.errors[0].code} " in shown
    assert "FOM 52" not in shown
    assert verdict.errors[0].text() in shown
    summarize.main([str(tree.root), "--as-logged", "--format", "json"])
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert row["fom_seconds"] == 52
    assert row["errors"] == len(verdict.errors)


def test_unknown_edition_is_a_clear_error(tree, new_log, capsys):
    tree.set([new_log.scaffold()])
    assert summarize.main([str(tree.root), "--rules", "v9.9"]) == 2
    assert "v9.9" in capsys.readouterr().err


def test_given_twice_judged_once(tree, new_log):
    folder = tree.set([new_log.scaffold(50 + i, seed=1 + i) for i in range(5)])
    sets = find_sets([tree.root, folder])
    assert len(sets) == 1
    assert len(judge(sets, [tree.root])[sets[0].name].findings) > 0
