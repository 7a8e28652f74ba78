"""RES: runs that were interrupted. A good log is interrupted in its third epoch and goes on ten minutes later; each
entry damages it and returns exactly the findings that must come."""

import shutil

import pytest

from compliance.engine import judge
from compliance.families import resumption as checks
from compliance.reading.timeline import Scored
from tests.compliance import made
from tests.compliance.editions import amended
from tests.compliance.families.damages import log_changed
from tests.compliance.logs import PAUSE, event, interrupt, read


def resumed_tree(tree, **options):
    """A good submission with a run that was interrupted."""
    event = interrupt(tree.logs[2], **options)
    tree.write(2)
    return event


@log_changed("RES02")
def on_other_nodes(tree, log):
    event = resumed_tree(tree)
    event["value"]["number_of_nodes"] = 2
    return tree.written(event)


resumed_before_the_first_evaluation = log_changed("RES01", lambda tree, log: log.line(resumed_tree(tree, epoch=1)))
nothing_but_an_interruption = log_changed("RES03", lambda tree, log: log.line(resumed_tree(tree)))


@log_changed("CLK04")
def pause_taken_out(tree, log):
    """The clock of what came later is set back to hide the pause: it runs back."""
    event = resumed_tree(tree)
    for e in log.events[log.events.index(event) + 1 :]:
        e["time_ms"] -= PAUSE
    return tree.written(event) + 1


@pytest.mark.parametrize("aborted", [True, False])
def test_an_interrupted_run_is_in_order_and_a_person_looks(tree, law, aborted):
    event = resumed_tree(tree, aborted=aborted)
    verdict = judge([str(tree.root)], rules=law)
    (finding,) = verdict.findings
    assert (finding.code, finding.severity, finding.line) == ("RES03", "review", tree.logs[2].line(event))
    assert "after epoch 2" in finding.sentence and "600.0" in finding.found
    seconds = [log.run.seconds for report in verdict.submissions for s in report.sets for log in s.logs]
    assert seconds[2] > 600 > max(seconds[:2])


def test_twice(tree, found):
    first = resumed_tree(tree)
    second = interrupt(tree.logs[2], epoch=5)
    told = [("result_2.txt", tree.written(event), "RES03") for event in (first, second)]
    assert found(tree.root) == told


def test_an_edition_that_knows_no_resumption_counts_two_stops(tree, law, tmp_path):
    event, rules = resumed_tree(tree), tmp_path / "rules"
    shutil.copytree(law, rules)
    with amended(rules) as limits:
        limits["rules"].pop("RES")
    codes = {f.code for f in judge([str(tree.path(2))], rules=rules).findings}
    assert event and codes == {"CLK01"}


def found_of(check, log, scores=(), terms=None):
    """What a check finds of a run from line 10 to 90: (line, found). `scores`: (line, epoch, whether it passes)."""
    scored = [Scored(made.event("score", line, 1000 * line), epoch, passes) for line, epoch, passes in scores]
    time = made.timeline(scores=scored, start=made.event("run_start", 10), stop=made.event("run_stop", 90))
    return [(fault.line, fault.found) for fault in check(log, terms, time)]


@pytest.mark.parametrize(
    ("line", "epoch", "scores", "found"),
    [
        (50, 2, [(30, 1, False), (40, 2, False), (60, 3, False)], None),
        (50, 3, [(30, 1, False), (40, 2, False), (60, 3, True)], "resumed after epoch 3"),
        (50, 2, [(40, 2, True), (60, 3, False)], "resumed after the target was met in line 40"),
        (50, 2, [(30, 1, True), (40, 2, False)], None),
        (50, 2, [(60, 2, False)], "resumed before any evaluation"),
        (50, 2, [(50, 2, False)], None),
        (10, 2, [(5, 2, False)], "resumed outside the run"),
        (11, 2, [(5, 2, False)], None),
        (89, 2, [(5, 2, False)], None),
        (90, 2, [(5, 2, False)], "resumed outside the run"),
    ],
)
def test_res01_a_run_goes_on_from_the_last_score_before(line, epoch, scores, found):
    log = read(event(line, "resumed", epoch_num=epoch))
    assert found_of(checks.runs_go_on_where_they_were, log, scores) == ([(line, found)] if found else [])


def test_res02_checks_each_key_at_every_resumption():
    names = ("same_code", "same_system", "same_in_set", "same_problem")
    keys = ("seed", *names, "configured", "steps")
    head = [event(line, key, value=line) for line, key in enumerate(keys, 1)]
    same = {key: line for line, key in enumerate(keys, 1)}
    again = [(20, "nothing"), (21, same), (22, {**same, "configured": 9, "steps": 9})]
    again.append((23, {**same, "seed": 9, "same_problem": 9}))
    log = read(*head, *(event(line, "resumed", value=value) for line, value in again), event(24, "other"))
    configured = {"configured": {"configured": "a"}, "configured_in_steps": {"steps": "b"}}
    terms = made.terms(**configured, **{name: (name, "seed", "nowhere") for name in names})
    check = checks.runs_go_on_as_what_they_were
    always = [(20, "resumed nothing"), (22, "configured 9"), (22, "steps 9"), (23, "seed 9"), (23, "same_problem 9")]
    assert found_of(check, log, terms=terms) == always


@pytest.mark.parametrize(("time_ms", "found"), [(43_500, "3.500 s"), (None, None), ("later", None)])
def test_res03_an_interruption_has_a_time_or_is_not_told(time_ms, found):
    log = read(event(50, "resumed", time_ms, epoch_num=2))
    told = f"{found} on the clock without progress, from line 40 to here"
    scores = [(30, 1, False), (40, 2, False), (60, 3, False)]
    assert found_of(checks.runs_are_not_interrupted, log, scores) == ([(50, told)] if found else [])
