"""LED: sets with their ledgers, of runs that went on, were made again or are for a reviewer."""

import pytest

from compliance.engine import judge
from tests.compliance.families.test_ledger import everything_but, resumed
from tests.compliance.ledgers import Campaign, log_text, sha256, time_of
from tests.compliance.logs import interrupt


def findings(tree, law, edition=None):
    """What the rules on ledgers find: (line, code, severity, found, wanted)."""
    found = judge([tree.root], edition, rules=law).findings
    return [(f.line, f.code, f.severity, f.found, f.wanted) for f in found if f.code.startswith("LED")]


def test_runs_with_a_ledger_are_in_order(launched, found):
    assert found(launched.root) == []
    assert found(launched.ledger.parent) == []
    assert found(launched.path(2)) == []


def test_runs_with_a_ledger_are_in_order_where_one_is_required(launched, found):
    for log in launched.logs:
        log.one("rules_edition")["value"] = "launched"
    launched.launch()
    assert found(launched.root, edition="launched") == []


def test_a_run_that_was_resumed_has_two_starts(launched, found):
    event = resumed(launched)
    assert found(launched.root) == [("result_2.txt", launched.logs[2].line(event), "RES03")]


@pytest.mark.parametrize(("extra", "codes"), [("", []), ("x", ["LED06"])])
def test_a_log_that_goes_on_begins_as_it_was_left(launched, law, extra, codes):
    event = interrupt(launched.logs[2])

    def steps(campaign, events):
        first = campaign.start(events, "result_2.txt")
        campaign.state(events, first)
        before = log_text(events[: next(i for i, e in enumerate(events) if e is event)])
        campaign.end(first, extra + before, "aborted", event["time_ms"] - 400_000)
        event["value"]["ledger"] = campaign.start(events, "result_2.txt", resumes=first, time_ms=event["time_ms"])
        campaign.finish(event["value"]["ledger"], events, log_text(events))

    everything_but(launched, 2, steps)
    found = findings(launched, law)
    assert [(line, code, severity) for line, code, severity, *_ in found] == [(6, code, "review") for code in codes]


def test_a_run_that_was_resumed_twice_from_one_checkpoint(launched, law):
    """The second start was killed before it logged anything; the third one goes on from the first as well."""
    event = interrupt(launched.logs[2])

    def steps(campaign, events):
        first = campaign.start(events, "result_2.txt")
        campaign.state(events, first)
        times = [event["time_ms"] - ago for ago in (300_000, 50)]
        _, last = (campaign.start(events, "result_2.txt", resumes=first, time_ms=time) for time in times)
        event["value"]["ledger"] = last
        campaign.finish(last, events, log_text(events))

    everything_but(launched, 2, steps)
    ((line, code, severity, text, _),) = findings(launched, law)
    assert (line, code, severity) == (6, "LED08", "review")
    assert text == "7 starts for 5 runs: 1 resumed without a line in its log"


def test_a_run_that_succeeded_goes_not_on(launched, law):
    event = interrupt(launched.logs[2])

    def steps(campaign, events):
        first = campaign.start(events, "result_2.txt")
        campaign.state(events, first)
        campaign.end(first, "a log that was no good", "success", event["time_ms"] - 400_000)
        event["value"]["ledger"] = campaign.start(events, "result_2.txt", resumes=first, time_ms=event["time_ms"])
        campaign.finish(event["value"]["ledger"], events, log_text(events))

    everything_but(launched, 2, steps)
    assert findings(launched, law) == [
        (
            6,
            "LED06",
            "error",
            "start 5 ended with success, and start 7 goes on from it",
            "no further start after success",
        )
    ]


def test_a_run_killed_before_its_end_is_for_a_reviewer_where_a_note_says_so(launched, law):
    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt")
        campaign.state(events, number)
        campaign.note(number, "killed after run_stop", time_of(events, "run_stop") + 9)

    everything_but(launched, 2, steps)
    ((line, code, severity, text, wanted),) = findings(launched, law)
    assert (line, code, severity) == (5, "LED06", "review")
    assert text == "start 5 without an end; a note says: killed after run_stop"
    assert wanted == f"an end with the sha256 {sha256(launched.path(2).read_bytes())} of the log"


def test_an_end_that_was_recorded_later_is_for_a_reviewer(launched, law):
    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt")
        campaign.state(events, number)
        campaign.note(number, "recorded later", time_of(events, "run_stop"))
        campaign.finish(number, events, log_text(events))

    everything_but(launched, 2, steps)
    ((line, code, severity, text, wanted),) = findings(launched, law)
    assert (line, code, severity) == (7, "LED06", "review")
    assert text == "start 5 with the note: recorded later" and wanted == "none before the end"


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


@pytest.mark.parametrize(("status", "name"), [("success", ""), ("success", "result_9.txt"), (None, "result_9.txt")])
def test_a_start_that_a_note_explains_is_for_a_reviewer(launched, law, status, name):
    def before(campaign, index):
        if index == 2:
            number = launched.tried(campaign, 2, status, name)
            campaign.note(number, "the wrong disk", time_of(launched.logs[2].events, "init_start") - 5)

    launched.launch(before)
    wanted = "6 starts for 5 runs: 1 explained by a note alone"
    assert findings(launched, law) == [(5, "LED08", "review", wanted, "no others, or a reason for each")]


def test_led09_runs_that_are_handed_in_are_those_of_another_rule(launched, found):
    """Two runs at the same time, both in the set: RUN21 says so, and the ledger need not."""
    shift = launched.logs[3].one("run_start")["time_ms"] - launched.logs[2].one("run_start")["time_ms"] - 5000
    for event in launched.logs[3].events:
        event["time_ms"] -= shift
    campaign = Campaign()
    for index in (0, 1):
        campaign.run(launched.logs[index].events, f"result_{index}.txt")
    two, three = (launched.logs[i].events for i in (2, 3))
    numbers = [campaign.start(two, "result_2.txt"), campaign.start(three, "result_3.txt")]
    for events, number in zip((two, three), numbers, strict=True):
        campaign.state(events, number)
    ended = sorted(zip((two, three), numbers, strict=True), key=lambda pair: time_of(pair[0], "run_stop"))
    for events, number in ended:
        campaign.finish(number, events, log_text(events))
    campaign.run(launched.logs[4].events, "result_4.txt")
    for index in range(5):
        launched.write(index)
    campaign.write(launched.ledger.parent)
    assert [code for *_, code in found(launched.root)] == ["RUN21"]


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


@pytest.mark.parametrize(
    "text",
    [b"[" * 100_000, b'{"a":' * 3000, b"\0" * 5000, b"\n" * 20_000, b"null\n", b"\xff\xfe", b"x" * (8 << 20)],
    ids=["deep", "deeper", "NUL", "empty lines", "null", "bytes", "large"],
)
def test_a_ledger_that_means_harm_is_damaged(launched, law, text):
    launched.ledger.write_bytes(b"".join(launched.lines) + text)
    found = findings(launched, law)
    assert found and {code for _, code, *_ in found} == {"LED01"} and len(found) <= 101
    assert judge([launched.root], rules=law).exit_code == 1


def test_a_link_is_not_followed(launched, tmp_path, found):
    launched.ledger.rename(tmp_path / "elsewhere")
    launched.ledger.symlink_to(tmp_path / "elsewhere")
    assert found(launched.ledger.parent) == [("ledger.jsonl", 1, "LED01")]


def test_an_error_in_the_ledger_is_the_sets(launched, law):
    launched.ledger.write_bytes(b"".join(launched.lines[:-1]) + b"?\n")
    (runs,) = judge([launched.root], rules=law).all_sets
    assert [f.code for f in runs.findings] == ["LED01"] and not runs.in_order


def test_the_rules_of_other_rounds_know_no_ledger(launched, found):
    launched.ledger.write_bytes(b"?")
    codes = {code for *_, code in found(launched.root, edition="mlperf-hpc-v3.0")}
    assert not {code for code in codes if code.startswith("LED")} and "TREE03" in codes


def test_logs_that_measure_throughput_alone_need_no_ledger(study, found):
    (study.path(6).parent / "ledger.jsonl").write_text("?")
    assert found(study.root) == []
