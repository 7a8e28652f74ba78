"""LED: ledgers that are damaged, runs that are not in theirs, starts that nothing accounts for."""

import json
import os
import shutil
from types import SimpleNamespace

import pytest
from compliance_test_ledgers import Campaign, log_text, sha256, time_of
from compliance_test_logs import interrupt

from benchmark.ledger import End, Entry, Ledger, Note, Start
from benchmark.run.ledger import commitment
from compliance.engine import judge
from compliance.families import ledger as checks
from compliance.reading.ledger import SetLedger
from rules.edition import load

damage = pytest.mark.damage
CLOCK = load("v1.0").limits.clock
SLACK = int(1000 * CLOCK.launch_slack)


def told(tree, code, *runs):
    """What is found of the event `ledger` of runs."""
    return [(f"result_{i}.txt", tree.logs[i].line(tree.logs[i].one("ledger")), code) for i in runs]


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


def resumed(tree, goes_on=True, log_it=True, again=None):
    """Run 2 is interrupted and goes on, with a start of its own; the event `resumed`."""
    event = interrupt(tree.logs[2])

    def steps(campaign, events):
        first = campaign.start(events, "result_2.txt")
        campaign.state(events, first)
        time = event["time_ms"] - 50
        last = campaign.start(events, "result_2.txt", resumes=first if goes_on else None, time_ms=time)
        event["value"]["ledger"] = (again or last) if log_it else None
        campaign.finish(last, events, log_text(events))

    everything_but(tree, 2, steps)
    return event


# --- LED01: whole ---


@damage
def line_edited(launched):
    """An end that says aborted, as if the start had been left out for it."""
    lines = launched.lines
    lines[3] = lines[3].replace(b"success", b"aborted")
    launched.ledger.write_bytes(b"".join(lines))
    return [("ledger.jsonl", 5, "LED01")]


@damage
def start_removed(launched):
    lines = launched.lines
    launched.ledger.write_bytes(b"".join(lines[:2] + lines[4:]))
    return [("ledger.jsonl", 3, "LED01")]


@damage
def lines_that_changed_places(launched):
    lines = launched.lines
    lines[2], lines[4] = lines[4], lines[2]
    launched.ledger.write_bytes(b"".join(lines))
    return [("ledger.jsonl", line, "LED01") for line in (3, 4, 5, 6)]


@damage
def line_that_is_no_json(launched):
    launched.ledger.write_bytes(b"".join(launched.lines) + b"result_5.txt failed\n")
    return [("ledger.jsonl", 11, "LED01")]


@damage
def ledger_with_line_endings_of_windows(launched):
    launched.ledger.write_bytes(b"".join(launched.lines).replace(b"\n", b"\r\n"))
    return [("ledger.jsonl", 1, "LED01")]


@damage
def ledger_of_another_set(launched):
    other = type(launched)(launched.root.parents[1] / "other")
    other.launch(lambda campaign, index: other.tried(campaign, index, "aborted"))
    launched.ledger.write_bytes(other.ledger.read_bytes())
    return [("ledger.jsonl", 1, "LED03")]


@damage
def line_cut_off_by_a_killed_writer(launched):
    launched.ledger.write_bytes(b"".join(launched.lines) + b'{"config":"55')
    return [("ledger.jsonl", 11, "LED01")]


@damage
def pipe_for_a_ledger(launched):
    launched.ledger.unlink()
    os.mkfifo(launched.ledger)
    return [("ledger.jsonl", 1, "LED01"), ("ledger.jsonl", 1, "TREE05")]


@damage
def end_of_an_end(launched):
    campaign = launched.launch()
    campaign.end(2, "log", "aborted", time_of(launched.logs[4].events, "run_stop") + 5)
    campaign.write(launched.ledger.parent)
    return [("ledger.jsonl", 11, "LED01")]


@damage
def two_ends_of_a_start(launched):
    campaign = launched.launch()
    campaign.end(9, "log", "aborted", time_of(launched.logs[4].events, "run_stop") + 5)
    campaign.write(launched.ledger.parent)
    return [("ledger.jsonl", 11, "LED01")]


@damage
def start_that_goes_on_from_another_run(launched):
    campaign = launched.launch()
    late = time_of(launched.logs[4].events, "run_stop") + 5
    campaign.start(launched.logs[3].events, "result_3.txt", resumes=9, time_ms=late)
    campaign.write(launched.ledger.parent)
    return [("ledger.jsonl", 11, "LED01")]


# --- LED02, LED03: the ledger and its logs ---


@damage
def ledger_that_is_gone(launched):
    launched.ledger.unlink()
    return told(launched, "LED02", 0)


@damage
def ledger_of_two_runs_that_is_gone(launched):
    """One of them names its start a line later."""
    launched.at = 4
    for index in (0, 1, 2):
        launched.logs[index].events.remove(launched.logs[index].one("ledger"))
        launched.write(index)
    log = launched.logs[4]
    extra = {**log.one("versions"), "key": "note_of_the_site"}
    launched.inserted(log.one("ledger"), extra)
    launched.ledger.unlink()
    return told(launched, "LED02", 3)


@damage
def no_ledger_where_one_is_required(tree):
    tree.options["edition"] = "launched"
    for index, log in enumerate(tree.logs):
        log.one("rules_edition")["value"] = "launched"
        tree.write(index)
    return [("scaffold", 1, "LED02")]


@damage
def ledger_that_no_log_names(launched):
    for index, log in enumerate(launched.logs):
        log.events.remove(log.one("ledger"))
        launched.write(index)
    return [("result_0.txt", 1, "LED03")]


@damage
def ledger_written_anew(launched):
    """Whole, but with other lines than the logs state: a start that failed is left out."""
    launched.launch(lambda campaign, i: launched.tried(campaign, i, "aborted") if i == 2 else None)
    stated = [log_text(log.events) for log in launched.logs]
    launched.launch()
    for index, text in enumerate(stated):
        launched.path(index).write_text(text)
    line = launched.logs[0].line(launched.logs[0].one("ledger"))
    return [(f"result_{i}.txt", line, "LED03") for i in (2, 3, 4)]


@damage
def line_of_another_digest(launched):
    launched.changed("ledger", metadata={"line": "5" * 64})
    return told(launched, "LED03", 2)


@damage
def start_of_another_run(launched):
    launched.changed("ledger", value=3)
    return told(launched, "LED03", 2)


@damage
def start_that_is_an_end(launched):
    launched.changed("ledger", value=6)
    return told(launched, "LED03", 2)


@damage
def start_that_is_true(launched):
    launched.changed("ledger", value=True)
    return told(launched, "LED03", 2) + told(launched, "LOG06", 2)


@damage
def start_named_behind_run_start(launched):
    log = launched.logs[2]
    event, start = log.one("ledger"), log.one("run_start")
    log.events.remove(event)
    log.events.insert(log.events.index(start) + 1, event)
    launched.write(2)
    return told(launched, "LED03", 2)


@damage
def resumed_by_no_start(launched):
    event = resumed(launched, log_it=False)
    line = launched.logs[2].line(event)
    return [("result_2.txt", line, "LED03"), ("result_2.txt", line, "RES03")]


@damage
def resumed_by_its_first_start(launched):
    event = resumed(launched, again=5)
    line = launched.logs[2].line(event)
    return [("result_2.txt", line, "LED03"), ("result_2.txt", line, "RES03")]


@damage
def resumed_by_a_fresh_start(launched):
    event = resumed(launched, goes_on=False)
    line = launched.logs[2].line(event)
    return [("result_2.txt", line, "LED03"), ("result_2.txt", line, "RES03")]


# --- LED04 to LED06: a run and its start ---


def started_otherwise(launched, **other):
    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt", **other)
        campaign.state(events, number)
        campaign.finish(number, events, log_text(events))

    everything_but(launched, 2, steps)


@damage
def started_with_another_seed(launched):
    started_otherwise(launched, seed_commitment=sha256(b"seed 5"))
    return [("result_2.txt", launched.logs[2].line(launched.logs[2].one("seed")), "LED04")]


@damage
def started_with_other_source(launched):
    started_otherwise(launched, source="5" * 64)
    return [("result_2.txt", launched.logs[2].line(launched.logs[2].one("source")), "LED04")]


@damage
def started_with_other_settings(launched):
    started_otherwise(launched, config="5" * 64)
    return [("result_2.txt", launched.logs[2].line(launched.logs[2].one("config_digest")), "LED04")]


@damage
def started_on_another_problem(launched):
    started_otherwise(launched, problem="5" * 64)
    return [("result_2.txt", launched.logs[2].line(launched.logs[2].one("problem_digest")), "LED04")]


@damage
def start_written_down_later(launched):
    started_otherwise(launched, time_ms=time_of(launched.logs[2].events, "run_start") + SLACK + 1)
    return [("ledger.jsonl", 5, "LED05")]


@damage
def start_written_down_in_stock(launched):
    started_otherwise(launched, time_ms=time_of(launched.logs[2].events, "init_start") - SLACK - 1)
    return [("ledger.jsonl", 5, "LED05")]


@damage
def log_exchanged_after_its_end(launched, logs):
    """Another run of the same start, with the same head."""
    log, other = launched.logs[2], logs.good(9)
    kept = log.events[: log.events.index(log.one("run_start"))]
    shift = log.one("run_start")["time_ms"] - other.one("run_start")["time_ms"]
    rest = other.events[other.events.index(other.one("run_start")) :]
    for event in rest:
        event["time_ms"] += shift
    log.events = kept + rest
    launched.write(2)
    return [("result_2.txt", 1, "LED06")]


@damage
def run_without_an_end(launched):
    everything_but(launched, 2, lambda c, events: c.state(events, c.start(events, "result_2.txt")))
    return [("ledger.jsonl", 5, "LED06")]


@damage
def end_of_another_status(launched):
    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt")
        campaign.state(events, number)
        campaign.end(number, log_text(events), "aborted", time_of(events, "run_stop"))

    everything_but(launched, 2, steps)
    log = launched.logs[2]
    return [("result_2.txt", log.line(log.one("run_stop")), "LED06")]


@damage
def end_before_the_run_stopped(launched):
    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt")
        campaign.state(events, number)
        campaign.end(number, log_text(events), "success", time_of(events, "run_stop") - SLACK - 1)

    everything_but(launched, 2, steps)
    return [("ledger.jsonl", 6, "LED06")]


# --- LED07 to LED09: the other starts ---


@damage
def best_of_three(launched):
    """Run 2 was run three times; the best one is handed in."""

    def before(campaign, index):
        if index == 2:
            launched.tried(campaign, 2, "success", ago=900)
            launched.tried(campaign, 2, "success")

    launched.launch(before)
    return [("ledger.jsonl", 5, "LED07"), ("ledger.jsonl", 7, "LED07")]


@damage
def run_that_was_never_heard_of_again(launched):
    launched.launch(lambda c, i: launched.tried(c, i, name="result_5.txt") if i == 4 else None)
    return [("ledger.jsonl", 9, "LED07")]


@damage
def run_of_another_name_that_succeeded(launched):
    launched.launch(lambda c, i: launched.tried(c, i, "success", name="result_5.txt") if i == 4 else None)
    return [("ledger.jsonl", 9, "LED07")]


@damage
def aborted_and_started_again(launched):
    launched.launch(lambda c, i: launched.tried(c, i, "aborted") if i in (1, 3) else None)
    return [("ledger.jsonl", 3, "LED08")]


@damage
def killed_and_started_again(launched):
    launched.launch(lambda c, i: launched.tried(c, i) if i == 3 else None)
    return [("ledger.jsonl", 7, "LED08")]


def beside(launched, early):
    """A start of run 3 so many milliseconds before the end of run 2, aborted at once."""

    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt")
        campaign.state(events, number)
        since = time_of(events, "run_stop") + 3 - early
        other = campaign.start(launched.logs[3].events, "result_3.txt", time_ms=since)
        campaign.finish(number, events, log_text(events))
        campaign.end(other, "another log", "aborted", since + 60_000)

    everything_but(launched, 2, steps)


@damage
def another_one_beside_a_run(launched):
    beside(launched, int(1000 * CLOCK.overlap) + 1)
    return [("ledger.jsonl", 6, "LED08"), ("ledger.jsonl", 6, "LED09")]


# --- LED10: what was made again ---


def made_again(tree, note=True, keep=lambda text: text, logged=True):
    """Run 2 broke off in its first epoch, was moved aside and made again; the name of its first log."""
    first = tree.logs[2].text().splitlines(keepends=True)

    def broke_off(campaign, index):
        if index == 2:
            number = tree.tried(campaign, 2)
            line = sha256(campaign.lines[number - 1])
            cut = next(i for i, text in enumerate(first) if '"epoch_stop"' in text)
            stated = [text for text in first[:cut] if '"key": "ledger"' not in text]
            event = {"namespace": "", "time_ms": 1, "event_type": "POINT_IN_TIME", "key": "ledger", "value": number}
            if logged:
                stated.insert(20, f":::MLLOG {json.dumps({**event, 'metadata': {'line': line}})}\n")
            place = tree.ledger.parent / "superseded" / "20260301T120000.0Z" / "result_2.txt"
            place.parent.mkdir(parents=True)
            place.write_text(keep("".join(stated)))
            if note:
                campaign.note(number, "superseded: broke off", time_of(tree.logs[2].events, "init_start") - 1000)

    tree.launch(broke_off)
    return "result_2.txt"


@damage
def run_made_again(launched):
    """In order: but for a count that a reviewer reads."""
    made_again(launched)
    return [("ledger.jsonl", 5, "LED08")]


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


@damage
def log_lines_by_another_name_beside(launched):
    made_again(launched)
    (launched.ledger.parent / "superseded" / "20260301T120000.0Z" / "slow.txt").write_text(launched.logs[0].text())
    return [("ledger.jsonl", 5, "LED08"), ("slow.txt", 1, "TREE09")]


def aside(tree, number):
    """Run 2 was made again, and so many logs of its first start lie in superseded/."""
    made_again(tree)
    first = tree.ledger.parent / "superseded" / "20260301T120000.0Z"
    for more in range(1, number):
        shutil.copytree(first, first.with_name(f"20260301T12{more:02}00.0Z"))


@damage
def more_logs_aside_than_are_looked_at(launched):
    aside(launched, 21)
    return [("ledger.jsonl", 5, "LED08"), ("scaffold", 1, "LED10")]


def test_led10_twenty_logs_aside_are_looked_at(launched, found):
    aside(launched, 20)
    assert [code for *_, code in found(launched.root)] == ["LED08"]


def test_led10_a_log_that_never_started_its_clock_needs_no_start(launched, found):
    def head(text):
        return text[: text.index('"run_start"')].rpartition("\n")[0] + "\n"

    made_again(launched, keep=head, logged=False)
    assert [code for _, _, code in found(launched.root)] == ["LED08"]


def test_led10_holds_for_a_set_by_itself(launched, found):
    made_again(launched, note=False)
    assert "LED10" in [code for _, _, code in found(launched.ledger.parent)]


def test_damage(entry, exactly):
    exactly(entry)


def findings(tree, law, edition=None):
    """What the rules on ledgers find: (line, code, severity, found, wanted)."""
    found = judge([tree.root], edition, rules=law).findings
    return [(f.line, f.code, f.severity, f.found, f.wanted) for f in found if f.code.startswith("LED")]


def test_runs_with_a_ledger_are_in_order(launched, found):
    assert found(launched.root) == []
    assert found(launched.ledger.parent) == []
    assert found(launched.path(2)) == []


def test_runs_without_a_ledger_are_in_order_where_none_is_required(tree, found):
    assert found(tree.root) == []


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


def test_a_start_that_goes_on_is_written_down_before_the_run_does(launched, found):
    event = interrupt(launched.logs[2])
    for late in (0, SLACK, SLACK + 1):

        def steps(campaign, events, late=late):
            first = campaign.start(events, "result_2.txt")
            campaign.state(events, first)
            last = campaign.start(events, "result_2.txt", resumes=first, time_ms=event["time_ms"] + late)
            event["value"]["ledger"] = last
            campaign.finish(last, events, log_text(events))

        everything_but(launched, 2, steps)
        codes = [code for *_, code in found(launched.root)]
        assert codes == (["LED05", "RES03"] if late > SLACK else ["RES03"])


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


def test_starts_beside_the_runs_are_counted_once(launched, law):
    def before(campaign, index):
        if index in (1, 3):
            launched.tried(campaign, index, "aborted", ago=900)
            launched.tried(campaign, index)

    launched.launch(before)
    ((line, code, severity, text, _),) = findings(launched, law)
    assert (line, code, severity) == (3, "LED08", "review")
    assert text == "9 starts for 5 runs: 2 aborted, 2 killed and started again"


def test_of_many_lost_starts_twenty_are_told(launched, law):
    def before(campaign, index):
        for at in range(22 if index == 4 else 0):
            launched.tried(campaign, index, name=f"result_{50 + at}.txt", ago=900 - at)

    launched.launch(before)
    found = findings(launched, law)
    assert [(line, code) for line, code, *_ in found] == [(9 + at, "LED07") for at in range(21)]
    assert found[-1][3] == "2 more such starts from here on"


@pytest.mark.parametrize(("more", "codes"), [(0, []), (1, ["LED05"])])
@pytest.mark.parametrize("side", ["init_start", "run_start"])
def test_led05_from_both_sides(launched, found, side, more, codes):
    by = SLACK + more if side == "run_start" else -SLACK - more
    started_otherwise(launched, time_ms=time_of(launched.logs[2].events, side) + by)
    assert [code for *_, code in found(launched.root)] == codes


@pytest.mark.parametrize(("more", "codes"), [(0, []), (1, ["LED06"])])
def test_led06_an_end_may_be_early_by_the_slack(launched, found, more, codes):
    def steps(campaign, events):
        number = campaign.start(events, "result_2.txt")
        campaign.state(events, number)
        campaign.end(number, log_text(events), "success", time_of(events, "run_stop") - SLACK - more)

    everything_but(launched, 2, steps)
    assert [code for *_, code in found(launched.root)] == codes


@pytest.mark.parametrize(("more", "found"), [(0, []), (1, [(11, "LED01", "error", "1.001 s before line 10")])])
def test_led01_time_may_run_back_by_the_slack(launched, law, more, found):
    campaign = launched.launch()
    campaign.note(1, "a fine run", time_of(launched.logs[4].events, "run_stop") + 3 - SLACK - more)
    campaign.write(launched.ledger.parent)
    assert [f[:4] for f in findings(launched, law)] == found


@pytest.mark.parametrize(("more", "codes"), [(0, ["LED08"]), (1, ["LED08", "LED09"])])
def test_led09_starts_may_overlap_as_runs_may(launched, found, more, codes):
    beside(launched, int(1000 * CLOCK.overlap) + more)
    assert [code for *_, code in found(launched.root)] == codes


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


def test_so_much_is_told_and_no_more():
    assert checks.MOST_TOLD == 20


@pytest.mark.parametrize(("by_ms", "found"), [(1000, []), (1001, ["1.001 s late"]), (-5000, [])])
def test_clocks_may_be_apart_by_the_slack_and_seconds_are_told(by_ms, found):
    entry, launched = SimpleNamespace(number=3), SimpleNamespace(path="ledger.jsonl")
    faults = list(checks._apart(by_ms, 1.0, "late", entry, launched))
    assert [(fault.found, fault.line, fault.path) for fault in faults] == [(f, 3, "ledger.jsonl") for f in found]


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ((0, 500, 0), []),
        ((0, 501, 0), [(3, "0.501 s before line 2")]),
        ((5000, 0, 4499, 6000), [(2, "5.000 s before line 1"), (3, "0.501 s before line 1")]),
        ((5, 5, 5), []),
        ((5000, 5000, 0), [(3, "5.000 s before line 1")]),
    ],
)
def test_lines_come_in_the_order_of_time_but_for_the_slack(times, found):
    entries = [SimpleNamespace(number=i, time_ms=time) for i, time in enumerate(times, 1)]
    launched = SimpleNamespace(ledger=SimpleNamespace(entries=entries), path="ledger.jsonl")
    assert [(fault.line, fault.found) for fault in checks._order(launched, 0.5)] == found


def test_a_ledger_is_wanted_where_a_log_names_one_or_the_round_requires_it():
    def told(named, required):
        launch = SimpleNamespace(line=4, number=7)
        runs = [SimpleNamespace(launch=launch if i < named else None, path=f"result_{i}.txt") for i in range(3)]
        terms = SimpleNamespace(edition=SimpleNamespace(limits=SimpleNamespace(ledger=required)))
        return [(f.line, f.found) for f in checks.set_has_a_ledger(runs, SimpleNamespace(ledger=None), terms)]

    assert told(0, "optional") == [] and told(0, "required") == [(1, "no launch ledger")]
    assert told(1, "optional") == [(4, "start 7 of a ledger that is not here")]
    assert told(0, "none") == []
    assert told(2, "required") == [(4, "start 7 of a ledger that is not here, in 2 of 3 logs")]


@pytest.mark.parametrize(
    ("lost", "told", "more"), [(0, 0, []), (20, 20, []), (22, 20, ["2 more such starts from here on"])]
)
def test_so_many_lost_starts_are_told_one_by_one(lost, told, more):
    said = SimpleNamespace(run="result_0.txt")
    starts = {n: SimpleNamespace(said=said) for n in range(1, lost + 1)}
    fates = dict.fromkeys(starts, checks.UNEXPLAINED) | {99: "a note"}
    launched = SimpleNamespace(starts=starts, ends={2: "end"}, path="ledger.jsonl", others=lambda runs: fates)
    place = SimpleNamespace(ledger=launched)
    faults = list(checks.starts_are_accounted_for([SimpleNamespace(launch=1)], place, None))
    assert [fault.line for fault in faults[:told]] == list(range(1, told + 1))
    assert [fault.found for fault in faults[told:]] == more and (not more or faults[-1].line == 21)
    if told:
        assert [f.found.split(" ", 4)[-1] for f in faults[:2]] == [
            "has no end",
            "ended with success, and its log is not here",
        ]
    assert list(checks.starts_are_accounted_for([SimpleNamespace(launch=None)], place, None)) == []


DIGEST = "5" * 64


def begun(run=0, resumes=None, **other):
    """The start of run `run`."""
    told = {"source": DIGEST, "config": DIGEST, "problem": DIGEST, "seed_commitment": commitment(7)}
    return Start(**{"run": f"result_{run}.txt", "resumes": resumes, **told, **other})


def ended(of, status="success", log=DIGEST):
    return End(of, status, log)


def recorded(*said):
    """A ledger of events, or of (time in milliseconds, event); else an event a second."""
    timed = [(number * 1000, event) if not isinstance(event, tuple) else event for number, event in enumerate(said, 1)]
    entries = (Entry(number, None, ms, event, f"line {number}") for number, (ms, event) in enumerate(timed, 1))
    return SetLedger("ledger.jsonl", Ledger(tuple(entries), ()))


def launches(number, *again, line=4, digest=...):
    """What a log names: its first start, and those that resumed it, a line each."""
    first = SimpleNamespace(line=line, number=number, digest=f"line {number}" if digest is ... else digest)
    return {"launch": first, "resumptions": [SimpleNamespace(number=n, line=20 + i) for i, n in enumerate(again)]}


def run(number=0, start=9, **fields):
    """A run as far as these checks look, whose run_start is in line `start`."""
    named = {"file": SimpleNamespace(name=f"result_{number}.txt"), "path": f"result_{number}.txt", **launches(None)}
    moments = {"start": start and SimpleNamespace(line=start), "init": None, "start_ms": None}
    return SimpleNamespace(**{**named, **moments, "seeds": [], "broken": (), **fields})


def seen(check, handed, launched, slack=0.5, **fields):
    """What a check finds in a set: (line, found)."""
    where = SimpleNamespace(ledger=launched, **fields)
    clock = SimpleNamespace(launch_slack=slack, overlap=slack)
    terms = SimpleNamespace(edition=SimpleNamespace(limits=SimpleNamespace(clock=clock)))
    return [(fault.line, fault.found) for fault in check(handed, where, terms)]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (launches(1, 3, 4), None),
        (launches(1), None),
        (launches(1, 3), None),
        (launches(1, 4), None),
        (launches(1, 3, 3), (21, "resumed by start 3")),
        (launches(1, 4, 3), (21, "resumed by start 3")),
        (launches(1, 3, 4, 4), (22, "resumed by start 4")),
        (launches(1, 2), (20, "resumed by start 2")),
        (launches(1, 1), (20, "resumed by start 1")),
        (launches(1, None), (20, "resumed by start None")),
        (launches(3), (4, "start 3, which goes on from start 1")),
        (launches(2), (4, "start 2, of result_1.txt")),
        (launches(5), (4, "start 5, which the ledger does not have")),
        (launches(None), (4, "start None, which the ledger does not have")),
        (launches(1, digest="line 2"), (4, "a start whose line is line 2")),
        (launches(1, digest=None), (4, "a start whose line is None")),
        (launches(1, line=10), (10, "an event ledger after run_start")),
        (launches(1, line=9), None),  # of which LOG08 tells
        (launches(1, line=10) | {"start": None}, None),
    ],
)
def test_led03_a_log_names_its_first_start_and_those_that_go_on_from_it(fields, found):
    """Starts 3 and 4 go on from start 1, 3 from it and 4 from 3; entry 5 is an end."""
    launched = recorded(begun(), begun(1), begun(resumes=1), begun(resumes=3), ended(2))
    assert seen(checks.runs_are_in_the_ledger, [run(**fields)], launched) == ([found] if found else [])


def test_led03_the_first_log_without_a_start_is_named():
    runs = [run(), run(1, launch=None), run(2, launch=None)]
    runs[0] = run(**launches(1))
    (fault,) = checks.runs_are_in_the_ledger(runs, SimpleNamespace(ledger=recorded(begun())), None)
    assert (fault.line, fault.found, fault.path) == (1, "no event ledger, in 2 of 3 logs", "result_1.txt")


def test_led02_the_first_log_that_names_a_start_is_named():
    runs = [run(launch=None), run(1, **launches(7)), run(2, **launches(8, line=5))]
    (fault,) = checks.set_has_a_ledger(runs, SimpleNamespace(ledger=None), None)
    assert (fault.line, fault.found, fault.path) == (
        4,
        "start 7 of a ledger that is not here, in 2 of 3 logs",
        "result_1.txt",
    )


def test_led01_a_line_about_no_start_is_told():
    launched = recorded(begun(), ended(1), ended(1), Note(2, "of an end"), begun(1, resumes=1), Note(1, "fine"))
    faults = checks._references(launched)
    assert [(fault.line, fault.found) for fault in faults] == [
        (3, "another end of start 1"),
        (4, "a line that refers to line 2, which is no start"),
        (5, "result_1.txt goes on from start 1, of result_0.txt"),
    ]


@pytest.mark.parametrize(
    ("seeds", "found"), [([(8, 7), (9, 5)], []), ([(8, 5), (9, 7)], [(8, "seed 5")] * 2), ([], [])]
)
def test_led04_the_first_seed_of_a_run_is_that_of_each_of_its_starts(seeds, found):
    launched = recorded(begun(), begun(resumes=1))
    values = {"value": lambda key: DIGEST, "line": lambda key: 3}
    one = run(seeds=seeds, **values, **launches(1, 2))
    assert seen(checks.runs_are_as_they_were_started, [one], launched) == found
    assert seen(checks.runs_are_as_they_were_started, [one], None) == []


def moments(init=None, start_ms=None, again=None):
    """When a run began and went on, in milliseconds."""
    named = launches(1, 2)
    named["resumptions"][0].time_ms = again
    return {"init": None if init is None else SimpleNamespace(time_ms=init), "start_ms": start_ms, **named}


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (moments(), []),
        (moments(init=10_500, start_ms=9500, again=29_500), []),
        (moments(init=10_501), [(1, "0.501 s before init_start of result_0.txt")]),
        (moments(start_ms=9499), [(1, "0.501 s after run_start of result_0.txt")]),
        (moments(again=29_499), [(2, "0.501 s after result_0.txt went on, in line 20")]),
        (moments(init=10_501) | {"init": SimpleNamespace(time_ms=None)}, []),
        (moments() | launches(1), []),
    ],
)
def test_led05_each_start_has_its_own_moment(fields, found):
    """The first start is held against the beginning of the run, the second one against its resumption alone."""
    launched = recorded((10_000, begun()), (30_000, begun(resumes=1)))
    assert seen(checks.starts_are_when_runs_start, [run(**fields)], launched) == found


def test_led05_a_resumption_by_a_start_of_another_run_is_not_timed():
    """LED03 says so; a waiver may have covered that."""
    launched = recorded((10_000, begun()), (90_000, begun(1)))
    assert seen(checks.starts_are_when_runs_start, [run(**moments(again=0))], launched) == []


def finished(tmp_path, text="log", stop_ms=5000, status="success", **fields):
    """A run whose log has this text, and the digest of it."""
    path = tmp_path / "result_0.txt"
    path.write_text(text)
    stop = None if stop_ms is None else SimpleNamespace(line=99, time_ms=stop_ms)
    told = {"stop": stop, "stop_ms": stop_ms, "status": status, "stop_line": 99, "file": path}
    return run(**{**told, **launches(1), **fields}), sha256(text.encode())


@pytest.mark.parametrize(
    ("fields", "at", "found"),
    [
        ({}, 5000, []),
        ({}, 4500, []),
        ({}, 4499, [(2, "0.501 s before run_stop of result_0.txt")]),
        ({}, 99_000, []),
        ({"status": "aborted"}, 5000, [(99, "status aborted")]),
        ({"status": "aborted"}, 0, [(99, "status aborted")]),
        ({"stop_ms": None, "status": None}, 0, []),
    ],
)
def test_led06_an_end_is_that_of_the_run(tmp_path, fields, at, found):
    one, digest = finished(tmp_path, **fields)
    launched = recorded(begun(), (at, ended(1, log=digest)))
    assert seen(checks.logs_are_those_of_the_ends, [one], launched) == found


def test_led06_a_run_of_no_start_has_no_end_either(tmp_path):
    """LED03 says so; a waiver may have covered that."""
    one, _ = finished(tmp_path, **launches(5))
    assert seen(checks.logs_are_those_of_the_ends, [one], recorded(begun())) == []
    assert seen(checks.logs_are_those_of_the_ends, [one], None) == []


def test_led06_the_first_note_on_a_start_without_an_end_is_told(tmp_path):
    one, digest = finished(tmp_path)
    launched = recorded(begun(), Note(1, "killed"), Note(1, "by the power"))
    assert seen(checks.logs_are_those_of_the_ends, [one], launched) == [
        (1, "start 1 without an end; a note says: killed")
    ]
    (fault,) = checks._ended(one, recorded(begun()).starts[1], recorded(begun()), 0.5)
    assert (fault.severity, fault.found, fault.wanted) == (
        "",
        "start 1 without an end",
        f"an end with the sha256 {digest} of the log",
    )


def test_led06_a_log_is_the_one_that_ended(tmp_path):
    one, digest = finished(tmp_path)
    (found,) = seen(checks.logs_are_those_of_the_ends, [one], recorded(begun(), ended(1)))
    assert found == (1, f"sha256 {digest}")
    one.file.unlink()
    (found,) = seen(checks.logs_are_those_of_the_ends, [one], recorded(begun(), ended(1)))
    assert found == (1, "sha256 of no file")


def test_led06_each_end_before_the_last_is_judged(tmp_path):
    """Of starts 1, 3, 5 and 6: one ended with the beginning of the log, one with success, one with another log."""
    one, digest = finished(tmp_path, "first\nlast\n", **launches(1, 3, 5, 6))
    early = sha256(b"first\n")
    said = [begun(), ended(1, "aborted", early), begun(resumes=1), ended(3), begun(resumes=3), begun(resumes=5)]
    launched = recorded(*said, ended(5, "aborted"), ended(6, log=digest))
    assert seen(checks.logs_are_those_of_the_ends, [one], launched) == [
        (4, "start 3 ended with success, and start 6 goes on from it"),
        (7, "start 5 ended with another log"),
    ]


def test_led08_the_first_of_the_other_starts_is_told_with_the_number_of_each_kind():
    said = [begun(), begun(1), ended(2, "aborted"), begun(2), begun(2), begun(resumes=1), begun(3), Note(7, "lost")]
    launched, runs = recorded(*said), [run(**launches(1)), run(2, **launches(5))]
    kinds = "1 aborted, 1 killed and started again, 1 explained by a note alone, 1 resumed without a line in its log"
    assert seen(checks.starts_are_those_of_the_runs, runs, launched) == [(2, f"6 starts for 2 runs: {kinds}")]
    assert seen(checks.starts_are_those_of_the_runs, [*runs, run(launch=None)], launched) == []
    assert seen(checks.starts_are_those_of_the_runs, runs, None) == []
    assert seen(checks.starts_are_those_of_the_runs, [run(**launches(1, 2))], recorded(begun(), begun(resumes=1))) == []


BESIDE = {"scaling": "strong", "runs": SimpleNamespace(trials=0)}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ([(0, begun()), (5000, ended(1)), (4500, begun(1))], []),
        ([(0, begun()), (5000, ended(1)), (4499, begun(1))], ["start 3, 0.501 s before the end of start 1"]),
        ([(0, begun()), (9000, begun(1)), (9000, begun(2))], []),
        (  # the latest end counts
            [(0, begun()), (9000, ended(1)), (100, begun(1)), (200, ended(3)), (8000, begun(2))],
            ["start 3, 8.900 s before the end of start 1", "start 5, 1.000 s before the end of start 1"],
        ),
        (  # of two ends at the same time the first
            [(0, begun()), (9000, ended(1)), (100, begun(1)), (9000, ended(3)), (8000, begun(2))],
            ["start 3, 8.900 s before the end of start 1", "start 5, 1.000 s before the end of start 1"],
        ),
    ],
)
def test_led09_a_start_comes_after_the_latest_end_before_it(said, found):
    check, launched = checks.starts_come_one_after_another, recorded(*said)
    assert [text for _, text in seen(check, [], launched, **BESIDE)] == found
    assert seen(check, [], launched, scaling="weak", runs=BESIDE["runs"]) == []
    assert seen(check, [], launched, scaling="strong", runs=SimpleNamespace(trials=2)) == []
    assert seen(check, [], None, **BESIDE) == []


@pytest.mark.parametrize(
    ("runs", "faults"),
    [
        ([run(**launches(1)), run(1, **launches(3))], 0),  # RUN21 looks at these
        ([run(**launches(1))], 1),
        ([run(1, **launches(3))], 1),
        ([run(**launches(1, 2)), run(1, **launches(3))], 1),
        ([run(**launches(1)), run(1, launch=None)], 1),
    ],
)
def test_led09_leaves_out_two_runs_of_the_set_that_were_not_resumed(runs, faults):
    launched = recorded((0, begun()), (5000, ended(1)), (1000, begun(1)))
    assert len(seen(checks.starts_come_one_after_another, runs, launched, **BESIDE)) == faults


@pytest.mark.parametrize(
    ("logs", "found"),
    [
        ([("line 1", True)], []),  # with a note
        ([("line 2", True)], ["start 2 without a note"]),
        ([("line 3", True)], ["a log of the start line 3"]),  # an end
        ([(None, True)], ["a log that names no start"]),
        ([(None, False)], []),
        ([("line 1", True)] * 20, []),
        ([("line 1", True)] * 20 + [(None, True)], ["21 logs in superseded/"]),
        ([(None, True)] * 20 + [("line 1", True)], [*["a log that names no start"] * 20, "21 logs in superseded/"]),
    ],
)
def test_led10_twenty_logs_aside_are_looked_up(monkeypatch, logs, found):
    monkeypatch.setattr(checks, "start_in", lambda file: file)
    aside = [SimpleNamespace(file=stated, name=f"{i}.txt") for i, stated in enumerate(logs)]
    launched = recorded(begun(), begun(1), ended(1), Note(1, "made again"))
    where = {"runs": SimpleNamespace(superseded=aside)}
    assert [text for _, text in seen(checks.superseded_logs_are_of_starts, [], launched, **where)] == found
