"""LED: sets with their ledgers, of runs that went on, were made again or are for a reviewer."""

import pytest

from compliance.engine import judge
from tests.compliance.families.test_ledger import everything_but, resumed
from tests.compliance.ledgers import log_text, sha256, time_of


def findings(tree, law, edition=None):
    """What the rules on ledgers find: (line, code, severity, found, wanted)."""
    found = judge([tree.root], edition, rules=law).findings
    return [(f.line, f.code, f.severity, f.found, f.wanted) for f in found if f.code.startswith("LED")]


def test_runs_with_a_ledger_are_in_order_where_one_is_required(launched, found):
    launched.into("launched")
    launched.launch()
    assert found(launched.root) == []


def test_a_run_that_was_resumed_has_two_starts(launched, found):
    event = resumed(launched)
    assert found(launched.root) == [("result_2.txt", launched.logs[2].line(event), "RES03")]


def test_a_run_killed_before_its_end_is_for_a_reviewer_where_a_note_says_so(launched, law):
    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt")
        campaign.state(events, number)
        for word in ("killed after run_stop", "by the power"):
            campaign.note(number, word, time_of(events, "run_stop") + 9)

    everything_but(launched, 2, steps)
    ((line, code, severity, text, wanted),) = findings(launched, law)
    assert (line, code, severity) == (5, "LED06", "review")
    assert text == "a start without an end; a note says: killed after run_stop"
    assert wanted == f"the end of result_2.txt, with the sha256 {sha256(launched.path(2).read_bytes())} of the log"


@pytest.mark.parametrize("logged", ["first", "last"])
def test_a_run_that_records_its_end_after_one_was_recorded_for_it(launched, law, logged):
    """It was silent on another node for so long that it was taken for dead. Its own end counts, the last."""

    def steps(campaign, events):
        number, stop = campaign.start(events, "result_2.txt"), time_of(events, "run_stop")
        campaign.state(events, number)
        campaign.note(number, "recorded later", stop)
        digests = {"first": ["its log", "a log without weights"], "last": ["a log without weights", "its log"]}[logged]
        for digest in digests:
            campaign.end(number, log_text(events) if digest == "its log" else digest, "success", stop + 3)

    everything_but(launched, 2, steps)
    ((line, code, severity, text, wanted),) = findings(launched, law)
    if logged == "last":
        assert (line, code, severity) == (8, "LED06", "review")
        assert text == "start 5 with the note: recorded later" and wanted == "none before the end"
    else:
        assert (line, code, severity) == (1, "LED06", "error")
        assert wanted.endswith(f", as in line 8 of {launched.ledger}")


@pytest.mark.parametrize(("status", "name"), [("success", ""), (None, "result_9.txt")])
def test_a_start_that_a_note_explains_is_for_a_reviewer(launched, law, status, name):
    def before(campaign, index):
        if index == 2:
            number = launched.tried(campaign, 2, status, name)
            campaign.note(number, "the wrong disk", time_of(launched.logs[2].events, "init_start") - 5)

    launched.launch(before)
    wanted = "6 starts for 5 runs: 1 explained by a note alone"
    assert findings(launched, law) == [(5, "LED08", "review", wanted, "no others, or a reason for each")]


def test_a_line_that_was_cut_off_is_for_a_reviewer_and_the_rest_is_judged(launched, law):
    def before(campaign, index):
        if index == 2:
            campaign.lines.append(b'{"config":"5')
            launched.tried(campaign, 2, "success")

    launched.launch(before)
    found = findings(launched, law)
    assert [(line, code, severity) for line, code, severity, *_ in found] == [
        (5, "LED01", "review"),
        (6, "LED07", "error"),
    ]
