"""How sets stand with the checker, and what becomes of a figure that it objects to."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from compliance.engine import judge
from compliance.finding import Finding
from compliance.verdict import SetVerdict
from results import summarize
from results.statistics.standing import Standing, standing


def finding(path="a", severity="error", waived="", code="RUN01"):
    return Finding(path, 3, code, severity, "Something holds", found="1", wanted="2", waived=waived)


KNOWN, REVIEW = finding(waived="reviewer: known"), finding("b", "review")
FINE = finding("b", "review", "reviewer: fine")


@pytest.mark.parametrize(
    ("stands", "word"),
    [
        (Standing(), "clean"),
        (Standing((finding(), finding("b"))), "2 errors"),
        (Standing((finding(severity="warning"),)), "clean"),
        (Standing((REVIEW,), (finding(),)), "1 pruned error, 1 review"),
        (Standing((KNOWN, FINE)), "2 waived"),
        (Standing((KNOWN, finding("c"))), "1 error, 1 waived"),
        (Standing((FINE, REVIEW)), "1 review, 1 waived"),
        (Standing((finding(severity="warning", waived="reviewer: so what"),)), "clean"),
    ],
)
def test_words(stands, word):
    assert stands.word == word


def test_only_errors_object():
    assert Standing((REVIEW, KNOWN), (finding(),)).objection is None
    other = replace(finding("b", code="RUN02"), found="7")
    first = "RUN01 Something holds (found 1, wanted 2)"
    assert Standing((finding(),)).objection == f"failed the check: {first}"
    assert Standing((finding(), other)).objection == f"failed the check: 2 errors, the first: {first}"


@pytest.mark.parametrize(("unjudged", "word"), [("", "clean"), ("rules of another edition", "not judged")])
def test_a_set_that_was_not_judged_by_all_rules_is_not_clean(unjudged, word):
    runs = SetVerdict("x", Path("x"), *[""] * 6, (), (), submission="s", unjudged=unjudged)
    assert (standing(runs, ()).judged, standing(runs, ()).word) == (not unjudged, word)


def test_errors_in_pruned_logs_are_named_and_take_no_number_away(tree, new_log, capsys):
    good = [new_log.scaffold(50 + i, seed=1 + i) for i in range(3)]
    tree.set(good, scaling="weak", pruned=[new_log.scaffold(60, seed=9, stop=False)])
    (runs,) = judge([tree.root]).all_sets
    found = standing(runs, runs.logs)
    pruned = [f for f in found.everything if "pruned_results" in f.path]
    assert "CLK01" in {f.code for f in pruned}
    assert pruned == list(found.aside) and not set(pruned) & set(found.findings)
    summarize.main([str(tree.root), "--as-logged", "--format", "json"])
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert (row["errors"], row["pruned_errors"]) == (len(found.errors), len(found.pruned_errors))


def test_a_log_s_findings_are_its_own(tree, new_log):
    """A part of a set, as of one with several problems, has none of the other logs' findings."""
    folder = tree.set(new_log.five(seed=1))
    (runs,) = judge([tree.root]).all_sets
    part = standing(runs, runs.logs[:1])
    (lonely,) = judge([folder]).all_sets
    assert (part.alone, standing(lonely, lonely.logs).alone) == (False, True)
    assert {f.path for f in part.findings if "result_" in f.path} == {runs.logs[0].run.path}
