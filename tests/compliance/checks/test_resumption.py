"""RES: runs that were interrupted. A good log is interrupted in its third epoch and goes on ten minutes later; each
entry damages it and returns exactly the findings that must come."""

import copy
import shutil
from types import SimpleNamespace

import pytest
import yaml
from compliance_test_logs import PAUSE, event_like, interrupt

from compliance.checks import resumption as checks
from compliance.engine import judge

damage = pytest.mark.damage


def resumed_tree(tree, **options):
    """A good submission with a run that was interrupted."""
    event = interrupt(tree.logs[2], **options)
    tree.write(2)
    return event


def place(tree, event):
    """Where an event is."""
    return "result_2.txt", tree.logs[2].line(event)


@damage
def another_epoch_than_the_last(tree):
    event = resumed_tree(tree, epoch=5)
    event["metadata"]["epoch_num"] = 3
    tree.write(2)
    return [(*place(tree, event), "RES01")]


@damage
def resumed_before_the_first_evaluation(tree):
    return [(*place(tree, resumed_tree(tree, epoch=1)), "RES01")]


@damage
def resumed_after_the_target(tree):
    log = tree.logs[2]
    stop = log.one("run_stop")
    head = interrupt(copy.deepcopy(log))["value"]
    event = event_like(stop, "resumed", head, epoch_num=5)
    log.events.insert(log.events.index(stop), event)
    tree.write(2)
    return [(*place(tree, event), "RES01")]


@damage
def success_undone(tree):
    event = resumed_tree(tree)
    stop = tree.logs[2].one("run_stop")
    stop["metadata"]["status"] = "success"
    tree.write(2)
    return [(*place(tree, tree.logs[2].all("run_stop")[1]), "CLK01")] if event else []


@damage
def on_other_nodes(tree):
    event = resumed_tree(tree)
    event["value"]["number_of_nodes"] = 2
    tree.write(2)
    return [(*place(tree, event), "RES02")]


@damage
def with_another_seed_and_another_source(tree):
    event = resumed_tree(tree)
    event["value"] |= {"seed": 1, "source": "0" * 64}
    tree.write(2)
    return [(*place(tree, event), "RES02")] * 2


@damage
def says_nothing_of_itself(tree):
    event = resumed_tree(tree)
    event["value"] = None
    tree.write(2)
    return [(*place(tree, event), "RES02")]


@damage
def pause_taken_out(tree):
    """The clock of what came later is set back to hide the pause: it runs back."""
    event = resumed_tree(tree)
    log = tree.logs[2]
    for e in log.events[log.events.index(event) + 1 :]:
        e["time_ms"] -= PAUSE
    tree.write(2)
    return [("result_2.txt", log.line(event) + 1, "CLK04")]


@damage
def gap_in_the_epochs(tree):
    event = resumed_tree(tree)
    log = tree.logs[2]
    log.events = [e for e in log.events if e["metadata"].get("epoch_num") != 3]
    tree.write(2)
    line = log.line(next(e for e in log.all("epoch_start") if e["metadata"]["epoch_num"] == 4))
    return [("result_2.txt", line, "EVL02"), (*place(tree, event), "RES03")]


@damage
def nothing_but_an_interruption(tree):
    return [(*place(tree, resumed_tree(tree)), "RES03")]


@damage
def with_another_learning_rate(tree):
    """The benchmark's own settings, which its `configured` lists, are compared, too."""
    event = resumed_tree(tree)
    event["value"]["opt_base_learning_rate"] = 0.002
    tree.write(2)
    return [(*place(tree, event), "RES02")]


def test_damage(entry, exactly):
    exactly(entry)


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
    tree.write(2)
    assert found(tree.root) == [(*place(tree, e), "RES03") for e in (first, second)]


def test_an_evaluation_cannot_be_undone(tree, found):
    """The fourth epoch is evaluated, and evaluated again after an interruption, to take the better one."""
    event = resumed_tree(tree, epoch=5)
    log = tree.logs[2]
    event["metadata"]["epoch_num"] = 3
    at = log.events.index(event) + 1
    again = [e for e in log.events[:at] if e["metadata"].get("epoch_num") == 4 and e["key"] != "resumed"]
    log.events[at:at] = [{**e, "time_ms": event["time_ms"]} for e in copy.deepcopy(again)]
    tree.write(2)
    assert {"RES01", "EVL02"} <= {code for _, _, code in found(tree.path(2))}


def test_an_edition_that_knows_no_resumption_counts_two_stops(tree, law, tmp_path):
    event, rules = resumed_tree(tree), tmp_path / "rules"
    shutil.copytree(law, rules)
    path = rules / "v1.0" / "limits.yaml"
    limits = yaml.safe_load(path.read_text())
    limits["rules"].pop("RES")
    path.write_text(yaml.safe_dump(limits, sort_keys=False))
    codes = {f.code for f in judge([str(tree.path(2))], rules=rules).findings}
    assert event and codes == {"CLK01"}


def test_res03_tells_the_seconds_since_the_last_score(logs):
    score = SimpleNamespace(event=SimpleNamespace(line=4, time_ms=1000))
    log = logs.read(logs.event(9, "resumed", 3500, epoch_num=2))
    (fault,) = checks.runs_are_not_interrupted(log, None, SimpleNamespace(scores=[score]))
    assert fault.line == 9 and fault.found.startswith("2.500 s ") and "line 4 " in fault.found
