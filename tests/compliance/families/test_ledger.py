"""LED: ledgers that are damaged, runs that are not in theirs, starts that nothing accounts for."""

from dataclasses import replace

import pytest

from benchmark.ledger import End, Entry, Ledger, Note, Start
from benchmark.run.ledger import commitment
from compliance.families import ledger as checks
from compliance.reading.ledger import SetLedger
from compliance.reading.run import Launch, Mark
from compliance.reading.tree import LogFile
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, files_changed
from tests.compliance.ledgers import log_text, sha256, time_of
from tests.compliance.logs import Log, interrupt
from tests.compliance.made import OURS, terms

SLACK = int(1000 * OURS.limits.clock.launch_slack)


@files_changed("LED01", "ledger.jsonl", line=5)
def line_edited(launched):
    """An end that says aborted, as if the start had been left out for it."""
    lines = launched.lines
    lines[3] = lines[3].replace(b"success", b"aborted")
    launched.ledger.write_bytes(b"".join(lines))


ledger_with_line_endings_of_windows = files_changed(
    "LED01",
    "ledger.jsonl",
    lambda launched: launched.ledger.write_bytes(b"".join(launched.lines).replace(b"\n", b"\r\n")),
)


@files_changed("LED03", "ledger.jsonl")
def ledger_of_another_set(launched):
    other = type(launched)(launched.root.parents[1] / "other")
    other.launch(lambda campaign, index: other.tried(campaign, index, "aborted"))
    launched.ledger.write_bytes(other.ledger.read_bytes())


@files_changed("LED03", "result_0.txt")
def ledger_that_no_log_names(launched):
    for index, log in enumerate(launched.logs):
        log.events.remove(log.one("ledger"))
        launched.write(index)


no_ledger_where_one_is_required = files_changed("LED02", "scaffold", lambda tree: tree.into("launched"))
line_of_another_digest = event_changed("LED03", "ledger", of="launched", metadata={"line": "5" * 64})
start_of_another_run = event_changed("LED03", "ledger", of="launched", value=3)


@damage
def started_with_other_settings(launched):
    launched.started_otherwise(config="5" * 64)
    return [("result_2.txt", launched.logs[2].line_of("config_digest"), "LED04")]


start_written_down_later = files_changed(
    "LED05",
    "ledger.jsonl",
    lambda tree: tree.started_otherwise(time_ms=time_of(tree.logs[2].events, "run_start") + SLACK + 1),
    line=5,
)
line_endings_changed_by_a_copy = files_changed(
    "LED06", "result_2.txt", lambda launched: launched.path(2).write_text(launched.path(2).read_text(), newline="\r\n")
)
run_without_an_end = files_changed(
    "LED06",
    "ledger.jsonl",
    lambda launched: launched.launch(steps=lambda c, events: c.state(events, c.start(events, "result_2.txt"))),
    line=5,
)
run_that_was_never_heard_of_again = files_changed(
    "LED07",
    "ledger.jsonl",
    lambda launched: launched.launch(lambda c, i: launched.tried(c, i, name="result_5.txt") if i == 4 else None),
    line=9,
)


def moved_aside(tree, events):
    """A log that was superseded."""
    return Log(events).write(tree.ledger.parent / "superseded" / "20260301T120000.0Z" / "result_2.txt")


def made_again(tree, note=True):
    """Run 2 broke off in its first epoch, was moved aside and made again."""
    log = tree.logs[2]
    first = log.events[: log.events.index(log.one("epoch_stop"))]

    def broke_off(campaign, index):
        if index == 2:
            number = tree.tried(campaign, 2)
            campaign.state(first, number)
            moved_aside(tree, first)
            if note:
                campaign.note(number, "superseded: broke off", log.one("init_start")["time_ms"] - 1000)

    tree.launch(broke_off)


# In order: but for a count that a reviewer reads.
run_made_again = files_changed("LED08", "ledger.jsonl", lambda launched: made_again(launched), line=5)


@damage
def run_made_again_without_a_word(launched):
    made_again(launched, note=False)
    return [("result_2.txt", 1, "LED10"), ("ledger.jsonl", 5, "LED08")]


run_parked_that_no_ledger_knows = files_changed(  # in the place of what was made again lies a whole run
    "LED10",
    "result_2.txt",
    lambda launched: moved_aside(launched, [e for e in launched.logs[2].events if e["key"] != "ledger"]),
)


@pytest.fixture
def told(findings):
    """What is found in a submission: (line, code, severity)."""
    return lambda tree: [(f.line, f.code, f.severity) for f in findings(tree.root)]


def test_a_run_that_was_resumed_has_two_starts(launched, told):
    """Its log begins as it was left."""
    event = interrupt(launched.logs[2])

    def steps(campaign, events):
        first = campaign.start(events, "result_2.txt")
        campaign.state(events, first)
        before = log_text(events[: next(i for i, e in enumerate(events) if e is event)])
        campaign.end(first, before, "aborted", event["time_ms"] - 400_000)
        last = campaign.start(events, "result_2.txt", resumes=first, time_ms=event["time_ms"] - 50)
        event["value"]["ledger"] = last
        campaign.finish(last, events, log_text(events))

    launched.launch(steps=steps)
    assert told(launched) == [(launched.logs[2].line(event), "RES03", "review")]


def test_a_cut_off_line_is_a_review_and_the_rest_is_checked(launched, told):
    def before(campaign, index):
        if index == 2:
            campaign.lines.append(b'{"config":"5')
            launched.tried(campaign, 2, "success")

    campaign = launched.launch(before)
    assert told(launched) == [(5, "LED01", "review"), (6, "LED07", "error")]
    campaign.end(6, "log", "aborted", time_of(launched.logs[4].events, "run_stop") + 5)
    campaign.write(launched.ledger.parent)
    assert told(launched) == [(5, "LED01", "review"), (14, "LED01", "error")]


DIGEST = "5" * 64


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ((1000, 6000, 1000), []),
        ((1000, 6001, 1000), [(3, "5.001 s before line 2")]),
        ((50_000, 0, 44_999, 60_000), [(2, "50.000 s before line 1, and 1 later line earlier than one before")]),
        ((50_000, 50_000, 0), [(3, "50.000 s before line 1")]),
    ],
)
def test_led01_lines_come_in_the_order_of_time_but_for_the_slack(times, found):
    launched = recorded(*((time, begun()) for time in times))
    assert seen(checks.ledger_is_whole, [], launched, slack=5.0) == found


def test_led02_a_ledger_is_wanted_by_a_log_or_the_round():
    def told(named, required):
        runs = [made.run(i, launch=Launch(4 + i, 0, 7, None) if i < named else None) for i in range(3)]
        return [(f.line, f.found) for f in checks.set_has_a_ledger(runs, made.place(), terms(ledger=required))]

    assert told(0, "none") == told(0, "optional") == [] and told(0, "required") == [(1, "no launch ledger")]
    assert told(1, "optional") == [(4, "start 7 of a ledger that is not here")]
    assert told(2, "required") == [(4, "start 7 of a ledger that is not here, in 2 of 3 logs")]


def ended(of, status="success", log=DIGEST):
    return End(of, status, log)


def begun(run=0, resumes=None, **other):
    """The start of run `run`."""
    told = {"source": DIGEST, "config": DIGEST, "problem": DIGEST, "seed_commitment": commitment(7)}
    return Start(**{"run": f"result_{run}.txt", "resumes": resumes, **told, **other})


def recorded(*said):
    """A ledger of events, or of (time in milliseconds, event); else an event a second."""
    timed = [(number * 1000, event) if not isinstance(event, tuple) else event for number, event in enumerate(said, 1)]
    entries = (Entry(number, None, ms, event, f"line {number}") for number, (ms, event) in enumerate(timed, 1))
    return SetLedger("ledger.jsonl", Ledger(tuple(entries), ()))


def launches(number, *again, line=4, digest=...):
    """What a log names: its first start, and those that resumed it, a line each."""
    first = Launch(line, None, number, f"line {number}" if digest is ... else digest)
    return {"launch": first, "resumptions": [Launch(20 + i, None, n, None) for i, n in enumerate(again)]}


def run(number=0, **fields):
    """A run whose run_start is in line 9."""
    return made.run(number, **{"start": Mark(9, None), **launches(None), **fields})


def seen(check, handed, launched, slack=0.5, **fields):
    """What a check finds in a set: (line, found)."""
    by = terms(clock={"launch_slack": slack, "overlap": slack, "end_delay": 9})
    return [(fault.line, fault.found) for fault in check(handed, made.place(ledger=launched, **fields), by)]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ([begun(), ended(1), ended(2)], (3, "a line that refers to line 2, which is no start")),
        ([begun(), ended(1), ended(1)], (3, "another end of start 1")),
        ([begun(), begun(1, resumes=1)], (2, "result_1.txt goes on from start 1, of result_0.txt")),
    ],
)
def test_led01_a_line_refers_to_a_start_of_its_own_run(said, found):
    assert seen(checks.ledger_is_whole, [], recorded(*said)) == [found]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (launches(1, 3, 4), None),
        (launches(1, 4), None),
        (launches(1, 3, 4, 4), (22, "resumed by start 4")),
        (launches(1, 1), (20, "resumed by start 1")),
        (launches(3), (4, "start 3, which goes on from start 1")),
        (launches(2), (4, "result_0.txt")),
        (launches(None), (4, "start None, which the ledger does not have")),
        (launches(1, line=10), (10, "an event ledger after run_start")),
        (launches(1, line=9), None),  # of which LOG08 tells
        (launches(1, line=10) | {"start": None}, None),
    ],
)
def test_led03_a_log_names_its_first_start_and_its_resumptions(fields, found):
    """Starts 3 and 4 go on from start 1, 3 from it and 4 from 3; entry 5 is an end."""
    launched = recorded(begun(), begun(1), begun(resumes=1), begun(resumes=3), ended(2))
    assert seen(checks.runs_are_in_the_ledger, [run(**fields)], launched) == ([found] if found else [])


@pytest.mark.parametrize(("seeds", "found"), [([(8, 7), (9, 5)], []), ([(8, 5), (9, 7)], [(8, "seed 5")] * 2)])
def test_led04_the_first_seed_of_a_run_is_that_of_each_of_its_starts(seeds, found):
    launched = recorded(begun(), begun(resumes=1))
    values = dict.fromkeys(("source", "config_digest", "problem_digest"), DIGEST)
    one = run(seeds=seeds, values=values, **launches(1, 2))
    assert seen(checks.runs_are_as_they_were_started, [one], launched) == found
    assert seen(checks.runs_are_as_they_were_started, [one], None) == []


def moments(init=None, start_ms=None, again=None, by=2):
    """When a run began and went on by a start, in milliseconds."""
    named = launches(1, by)
    named["resumptions"][0] = named["resumptions"][0]._replace(time_ms=again)
    return {"init": None if init is None else Mark(1, init), "start": Mark(9, start_ms), **named}


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (moments(), []),
        (moments(init=10_500, start_ms=9500, again=29_500), []),
        (moments(init=10_501), [(1, "0.501 s before init_start of result_0.txt")]),
        (moments(start_ms=9499), [(1, "0.501 s after run_start of result_0.txt")]),
        (moments(again=29_499), [(2, "0.501 s after result_0.txt went on, in line 20")]),
        (moments(init=10_501) | {"init": Mark(1, None)}, []),
        (moments(again=0, by=3), []),  # which is no start of the run: LED03 says so; a waiver may have covered that
    ],
)
def test_led05_each_start_has_its_own_moment(fields, found):
    """The first start is held against the beginning of the run, the second one against its resumption alone."""
    launched = recorded((10_000, begun()), (30_000, begun(resumes=1)))
    assert seen(checks.starts_are_when_runs_start, [run(**fields)], launched) == found


def finished(tmp_path, text="log", stop_ms=5000, status="success", **fields):
    """A run whose log has this text, and the digest of it."""
    path = tmp_path / "result_0.txt"
    path.write_text(text)
    stop = None if stop_ms is None else Mark(99, stop_ms)
    told = {"stop": stop, "last_ms": stop_ms, "status": status, "file": path}
    return run(**{**told, **launches(1), **fields}), sha256(text.encode())


@pytest.mark.parametrize(
    ("fields", "at", "found"),
    [
        ({}, 4500, []),
        ({}, 4499, [(2, "0.501 s before the last event of result_0.txt")]),
        ({}, 14_000, []),
        ({}, 14_001, [(2, "9.001 s after the last event of result_0.txt")]),
        ({"last_ms": 5001}, 14_001, []),
        ({"status": "aborted"}, 0, [(99, "status aborted")]),
        ({"stop_ms": None, "status": None}, 0, []),
    ],
)
def test_led06_an_end_is_that_of_the_run(tmp_path, fields, at, found):
    one, digest = finished(tmp_path, **fields)
    launched = recorded(begun(), (at, ended(1, log=digest)))
    assert seen(checks.logs_are_those_of_the_ends, [one], launched) == found


def test_led06_a_log_is_the_one_that_ended(tmp_path):
    check, (one, digest) = checks.logs_are_those_of_the_ends, finished(tmp_path)
    noted_later = recorded(begun(), (5000, ended(1, log=digest)), Note(1, "kept"))
    assert seen(check, [one], noted_later) == []
    assert seen(check, [one], recorded(begun(), ended(1))) == [(1, f"sha256 {digest}")]
    one.file.unlink()
    assert seen(check, [one], recorded(begun(), ended(1))) == [(1, "sha256 of no file")]
    one = replace(one, **launches(5))  # LED03 says so; a waiver may have covered that
    assert seen(check, [one], recorded(begun())) == seen(check, [one], None) == []


def test_led06_a_killed_run_with_a_note_is_for_a_reviewer(tmp_path):
    one, digest = finished(tmp_path)
    place = made.place(ledger=recorded(begun(), Note(1, "killed after run_stop"), Note(1, "by the power")))
    (fault,) = checks.logs_are_those_of_the_ends([one], place, terms())
    assert (fault.line, fault.severity) == (1, "review")
    assert fault.found == "no end of the start on this line; a note says: killed after run_stop"
    assert fault.wanted == f"the end of result_0.txt, with the sha256 {digest} of the log"


def test_led06_a_run_taken_for_dead_may_record_its_own_end(tmp_path):
    """It was silent on another node for so long that an end was recorded for it. The last one counts."""
    one, digest = finished(tmp_path)
    noted = [begun(), Note(1, "recorded later"), Note(1, "so")]
    own, other = (5000, ended(1, log=digest)), (5000, ended(1))
    for last, found in ((own, "start 1 with the note: recorded later"), (other, f"sha256 {digest}")):
        launched = recorded(*noted, own if last is other else other, last)
        assert seen(checks.ledger_is_whole, [one], launched) == []
        assert seen(checks.logs_are_those_of_the_ends, [one], launched) == [(5 if last is own else 1, found)]


def test_led06_each_end_before_the_last_is_judged(tmp_path):
    """Of starts 1, 3, 5, 6 and 7: one ended with the beginning of the log, one with success, one not at all, one with
    another log."""
    one, digest = finished(tmp_path, "first\nlast\n", **launches(1, 3, 5, 6, 7))
    early = sha256(b"first\n")
    said = [begun(), ended(1, "aborted", early), begun(resumes=1), ended(3), *(begun(resumes=n) for n in (3, 5, 6))]
    place = made.place(ledger=recorded(*said, ended(6, "aborted"), ended(7, log=digest)))
    faults = checks.logs_are_those_of_the_ends([one], place, terms())
    assert [(fault.line, fault.found, fault.severity) for fault in faults] == [
        (4, "start 3 ended with success, and start 7 goes on from it", ""),
        (8, "start 6 ended with another log", "review"),
    ]


def test_led07_starts_are_looked_up_where_all_logs_name_theirs():
    launched, one = recorded(begun(), begun(1), begun(2), ended(3)), run(**launches(1))
    check = checks.starts_are_accounted_for
    ended_well = (3, "start 3 of result_2.txt ended with success, and no log here is the one that it wrote")
    assert seen(check, [one], launched) == [(2, "start 2 of result_1.txt has no end"), ended_well]
    assert seen(check, [one, run(launch=None)], launched) == seen(check, [one], None) == []


def test_led08_names_the_first_other_start_and_counts_each_kind():
    said = [begun(), begun(1), ended(2, "aborted"), begun(2), begun(2), begun(resumes=1), begun(3), Note(7, "lost")]
    launched, runs = recorded(*said), [run(**launches(1)), run(2, **launches(5))]
    kinds = "1 aborted, 1 killed and started again, 1 explained by a note alone, 1 resumed without a line in its log"
    assert seen(checks.starts_are_those_of_the_runs, runs, launched) == [(2, f"6 starts for 2 runs: {kinds}")]
    assert seen(checks.starts_are_those_of_the_runs, [*runs, run(launch=None)], launched) == []
    assert seen(checks.starts_are_those_of_the_runs, runs, None) == []
    assert seen(checks.starts_are_those_of_the_runs, [run(**launches(1, 2))], recorded(begun(), begun(resumes=1))) == []


@pytest.mark.parametrize(
    ("logs", "found"),
    [
        ([("line 3", True)], ["a log of the start line 3"]),  # an end
        ([(None, False)], []),
        ([("line 1", True)] * 20, []),  # with a note
        ([(None, True)] * 20 + [("line 2", True)], [*["a log that names no start"] * 20, "21 logs in superseded/"]),
    ],
)
def test_led10_twenty_logs_aside_are_looked_up(monkeypatch, logs, found):
    monkeypatch.setattr(checks, "start_in", lambda file: file)
    aside = tuple(LogFile(stated, f"{i}.txt", None) for i, stated in enumerate(logs))
    launched = recorded(begun(), begun(1), ended(1), Note(1, "made again"))
    of = replace(made.a_set(), superseded=aside)
    told = [(1, text) for text in found]
    assert seen(checks.superseded_logs_are_of_starts, [], launched, of=of) == told
