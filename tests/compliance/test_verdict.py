"""Verdicts: all findings of a submission, the exit code, and the number of logs."""

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


def test_everything_is_what_stands_outside_the_sets_and_in_them(good):
    (submission,) = good.submissions
    (runs,) = submission.sets
    logs = (replace(runs.logs[0], findings=(replace(ERROR, line=1),)), *runs.logs[1:])
    damaged = replace(runs, findings=(replace(ERROR, line=2),), logs=logs)
    submission = replace(submission, findings=(ERROR,), sets=(damaged,))
    assert [finding.line for finding in submission.everything()] == [8, 2, 1]


def test_the_exit_code_says_errors_before_what_could_not_be_looked_at(good):
    warning = replace(ERROR, severity="warning")
    waived = replace(ERROR, waived="r: agreed")
    missed = replace(good, missed=(("x", "gone"),))
    codes = [replace(good, findings=found).exit_code for found in ((), (warning,), (waived,), (ERROR,))]
    assert codes == [0, 0, 0, 1]
    assert (missed.exit_code, replace(missed, findings=(ERROR,)).exit_code) == (2, 1)
    assert EMPTY.exit_code == 2
    assert replace(EMPTY, submissions=(replace(good.submissions[0], sets=()),)).exit_code == 0  # its layout was


def test_logs_are_counted_wherever_they_were_given(tree, law):
    assert judge([tree.root, tree.path(0)], rules=law).looked == 5, "a log of a set that was given too is judged there"
    assert judge([tree.path(0), tree.path(1)], rules=law).looked == 2
    assert judge([tree.path(0).parent], rules=law).looked == 5
