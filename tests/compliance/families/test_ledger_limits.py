"""LED: each check by itself, of made-up runs, from both sides of its limits."""

from types import SimpleNamespace

import pytest

from benchmark.ledger import End, Entry, Ledger, Note, Start
from benchmark.run.ledger import commitment
from compliance.families import ledger as checks
from compliance.reading.ledger import SetLedger
from tests.compliance.ledgers import sha256

DIGEST = "5" * 64


def ended(of, status="success", log=DIGEST):
    return End(of, status, log)


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ((0, 500, 0), []),
        ((0, 501, 0), [(3, "0.501 s before line 2")]),
        ((5000, 0, 4499, 6000), [(2, "5.000 s before line 1"), (3, "0.501 s before line 1")]),
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
    clock = SimpleNamespace(launch_slack=slack, overlap=slack, end_delay=9)
    terms = SimpleNamespace(edition=SimpleNamespace(limits=SimpleNamespace(clock=clock)))
    return [(fault.line, fault.found) for fault in check(handed, where, terms)]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (launches(1, 3, 4), None),
        (launches(1, 4), None),
        (launches(1, 4, 3), (21, "resumed by start 3")),
        (launches(1, 3, 4, 4), (22, "resumed by start 4")),
        (launches(1, 1), (20, "resumed by start 1")),
        (launches(1, None), (20, "resumed by start None")),
        (launches(3), (4, "start 3, which goes on from start 1")),
        (launches(2), (4, "result_0.txt")),
        (launches(None), (4, "start None, which the ledger does not have")),
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
    told = {"stop": stop, "stop_ms": stop_ms, "last_ms": stop_ms, "status": status, "stop_line": 99, "file": path}
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


def test_led06_a_run_of_no_start_has_no_end_either(tmp_path):
    """LED03 says so; a waiver may have covered that."""
    one, _ = finished(tmp_path, **launches(5))
    assert seen(checks.logs_are_those_of_the_ends, [one], recorded(begun())) == []
    assert seen(checks.logs_are_those_of_the_ends, [one], None) == []


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


def test_led07_starts_are_looked_up_where_all_logs_name_theirs():
    launched, one = recorded(begun(), begun(1)), run(**launches(1))
    check = checks.starts_are_accounted_for
    assert seen(check, [one], launched) == [(2, "start 2 of result_1.txt has no end")]
    assert seen(check, [one, run(launch=None)], launched) == seen(check, [one], None) == []


def test_led08_the_first_of_the_other_starts_is_told_with_the_number_of_each_kind():
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
        ([("line 2", True)], ["start 2 without a note"]),
        ([("line 3", True)], ["a log of the start line 3"]),  # an end
        ([(None, False)], []),
        ([("line 1", True)] * 20, []),  # with a note
        ([(None, True)] * 20 + [("line 1", True)], [*["a log that names no start"] * 20, "21 logs in superseded/"]),
    ],
)
def test_led10_twenty_logs_aside_are_looked_up(monkeypatch, logs, found):
    monkeypatch.setattr(checks, "start_in", lambda file: file)
    aside = [SimpleNamespace(file=stated, name=f"{i}.txt") for i, stated in enumerate(logs)]
    launched = recorded(begun(), begun(1), ended(1), Note(1, "made again"))
    where = {"runs": SimpleNamespace(superseded=aside)}
    assert [text for _, text in seen(checks.superseded_logs_are_of_starts, [], launched, **where)] == found
