"""Verdicts: what is in order, the exit code, and findings that are replaced wherever they stand."""

from dataclasses import replace

import pytest

from compliance.engine import judge
from compliance.finding import Finding
from compliance.verdict import Verdict

ERROR = Finding("a/result_1.txt", 8, "SEED03", "error", "A seed is fresh")
EMPTY = Verdict((), (), (), (), (), ())


@pytest.fixture
def good(tree, law):
    return judge([tree.root], rules=law)


@pytest.mark.parametrize("fields", [{}, {"severity": "warning"}, {"waived": "r: agreed"}, {"code": "EVL07"}])
def test_a_log_with_an_error_fails_its_set_and_submission(good, fields):
    """But for EVL07: a run that did not converge counts as infinite."""
    finding = replace(ERROR, **fields)
    (submission,) = good.submissions
    first = replace(submission.sets[0].logs[0], findings=(finding,))
    damaged = replace(submission.sets[0], logs=(first, *submission.sets[0].logs[1:]))
    parts = (first, damaged, replace(submission, sets=(damaged,)))
    assert [part.in_order for part in parts] == [bool(fields)] * 3


def test_an_error_of_the_set_or_outside_it_counts_where_it_stands(good):
    (submission,) = good.submissions
    failed = replace(ERROR, code="EVL07")  # forgiven in a log alone
    assert not replace(submission.sets[0], findings=(failed,)).in_order
    outside = replace(submission, findings=(ERROR,))
    assert not outside.in_order and outside.sets[0].in_order
    assert outside.everything() == [ERROR]


def test_the_exit_code_says_errors_before_what_could_not_be_looked_at(good):
    warning = replace(ERROR, severity="warning")
    missed = replace(good, missed=(("x", "gone"),))
    assert (good.exit_code, good.exit_with((warning,)), good.exit_with((ERROR,))) == (0, 0, 1)
    assert (missed.exit_code, missed.exit_with((ERROR,))) == (2, 1)
    assert good.exit_with((replace(ERROR, waived="r: agreed"),)) == 0
    assert EMPTY.exit_code == 2
    assert replace(EMPTY, submissions=(replace(good.submissions[0], sets=()),)).exit_code == 0  # its layout was


def test_logs_are_counted_wherever_they_were_given(tree, law):
    assert judge([tree.root, tree.path(0)], rules=law).looked == 5, "a log of a set that was given too is judged there"
    assert judge([tree.path(0), tree.path(1)], rules=law).looked == 2
    assert judge([tree.path(0).parent], rules=law).looked == 5
