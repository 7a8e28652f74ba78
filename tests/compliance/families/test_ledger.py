"""LED: ledgers that are damaged, runs that are not in theirs, starts that nothing accounts for."""

import json

import pytest

from compliance.engine import judge
from rules.edition import load
from tests.compliance.catalogue import event_changed
from tests.compliance.families.damages import files_changed
from tests.compliance.ledgers import Campaign, log_text, sha256, time_of
from tests.compliance.logs import interrupt

damage = pytest.mark.damage
CLOCK = load("v1.0").limits.clock
SLACK = int(1000 * CLOCK.launch_slack)


def everything_but(tree, index, steps):
    """A ledger where run `index` is written down otherwise: steps(campaign, events)."""
    campaign = Campaign()
    for other, log in enumerate(tree.logs):
        if other == index:
            steps(campaign, log.events)
        else:
            campaign.run(log.events, f"result_{other}.txt")
        tree.write(other)
    campaign.write(tree.ledger.parent)
    return campaign


ledger_with_line_endings_of_windows = files_changed(
    "LED01",
    "ledger.jsonl",
    lambda launched: launched.ledger.write_bytes(b"".join(launched.lines).replace(b"\n", b"\r\n")),
)


def ended_again(of):
    """A damage: the ledger has another end, of the start or the end in that line."""

    @damage
    def entry(launched):
        campaign = launched.launch()
        campaign.end(of, "log", "aborted", time_of(launched.logs[4].events, "run_stop") + 5)
        campaign.write(launched.ledger.parent)
        return [("ledger.jsonl", 11, "LED01")]

    return entry


end_of_an_end = ended_again(2)
two_ends_of_a_start = ended_again(9)


@damage
def ledger_of_another_set(launched):
    other = type(launched)(launched.root.parents[1] / "other")
    other.launch(lambda campaign, index: other.tried(campaign, index, "aborted"))
    launched.ledger.write_bytes(other.ledger.read_bytes())
    return [("ledger.jsonl", 1, "LED03")]


@damage
def start_that_goes_on_from_another_run(launched):
    campaign = launched.launch()
    late = time_of(launched.logs[4].events, "run_stop") + 5
    campaign.start(launched.logs[3].events, "result_3.txt", resumes=9, time_ms=late)
    campaign.write(launched.ledger.parent)
    return [("ledger.jsonl", 11, "LED01")]


no_ledger_where_one_is_required = files_changed("LED02", "scaffold", lambda tree: tree.into("launched"))


line_of_another_digest = event_changed("LED03", "ledger", of="launched", metadata={"line": "5" * 64})
start_of_another_run = event_changed("LED03", "ledger", of="launched", value=3)


def started_otherwise(launched, **other):
    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt", **other)
        campaign.state(events, number)
        campaign.finish(number, events, log_text(events))

    everything_but(launched, 2, steps)


@damage
def started_with_other_settings(launched):
    started_otherwise(launched, config="5" * 64)
    return [("result_2.txt", launched.logs[2].line(launched.logs[2].one("config_digest")), "LED04")]


@damage
def start_written_down_later(launched):
    started_otherwise(launched, time_ms=time_of(launched.logs[2].events, "run_start") + SLACK + 1)
    return [("ledger.jsonl", 5, "LED05")]


line_endings_changed_by_a_copy = files_changed(
    "LED06", "result_2.txt", lambda launched: launched.path(2).write_text(launched.path(2).read_text(), newline="\r\n")
)
run_without_an_end = files_changed(
    "LED06",
    "ledger.jsonl",
    lambda launched: everything_but(launched, 2, lambda c, events: c.state(events, c.start(events, "result_2.txt"))),
    line=5,
)


run_that_was_never_heard_of_again = files_changed(
    "LED07",
    "ledger.jsonl",
    lambda launched: launched.launch(lambda c, i: launched.tried(c, i, name="result_5.txt") if i == 4 else None),
    line=9,
)


def made_again(tree, note=True):
    """Run 2 broke off in its first epoch, was moved aside and made again; the name of its first log."""
    first = tree.logs[2].text().splitlines(keepends=True)

    def broke_off(campaign, index):
        if index == 2:
            number = tree.tried(campaign, 2)
            line = sha256(campaign.lines[number - 1])
            cut = next(i for i, text in enumerate(first) if '"epoch_stop"' in text)
            stated = [text for text in first[:cut] if '"key": "ledger"' not in text]
            event = {"namespace": "", "time_ms": 1, "event_type": "POINT_IN_TIME", "key": "ledger", "value": number}
            stated.insert(20, f":::MLLOG {json.dumps({**event, 'metadata': {'line': line}})}\n")
            place = tree.ledger.parent / "superseded" / "20260301T120000.0Z" / "result_2.txt"
            place.parent.mkdir(parents=True)
            place.write_text("".join(stated))
            if note:
                campaign.note(number, "superseded: broke off", time_of(tree.logs[2].events, "init_start") - 1000)

    tree.launch(broke_off)
    return "result_2.txt"


# In order: but for a count that a reviewer reads.
run_made_again = files_changed("LED08", "ledger.jsonl", lambda launched: made_again(launched), line=5)


@damage
def run_made_again_without_a_word(launched):
    return [(made_again(launched, note=False), 1, "LED10"), ("ledger.jsonl", 5, "LED08")]


@damage
def run_parked_that_no_ledger_knows(launched):
    """In the place of what was made again lies a whole run."""
    place = launched.ledger.parent / "superseded" / "20260301T120000.0Z" / "result_2.txt"
    place.parent.mkdir(parents=True)
    place.write_text("".join(e for e in launched.logs[2].text().splitlines(keepends=True) if '"ledger"' not in e))
    return [("result_2.txt", 1, "LED10")]


def test_damage(entry, exactly):
    exactly(entry)


def findings(tree, law, edition=None):
    """What the rules on ledgers find: (line, code, severity, found, wanted)."""
    found = judge([tree.root], edition, rules=law).findings
    return [(f.line, f.code, f.severity, f.found, f.wanted) for f in found if f.code.startswith("LED")]


def test_runs_with_a_ledger_are_in_order_where_one_is_required(launched, found):
    launched.into("launched")
    launched.launch()
    assert found(launched.root) == []


def test_a_run_that_was_resumed_has_two_starts(launched, found):
    event = interrupt(launched.logs[2])

    def steps(campaign, events):
        first = campaign.start(events, "result_2.txt")
        campaign.state(events, first)
        last = campaign.start(events, "result_2.txt", resumes=first, time_ms=event["time_ms"] - 50)
        event["value"]["ledger"] = last
        campaign.finish(last, events, log_text(events))

    everything_but(launched, 2, steps)
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
