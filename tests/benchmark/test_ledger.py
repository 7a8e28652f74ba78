import hashlib
import json
import multiprocessing
import os
import resource
import signal

import pytest

from benchmark import ledger
from benchmark.ledger import Asked, End, Frozen, Note, Start, append, line_of, parse, read_ledger
from benchmark.run import ledger as run_ledger
from benchmark.run.ledger import Wrong, commitment

START = Start("result_0.txt", "a" * 64, "b" * 64, "c" * 64, commitment(7))
END = End(1, "success", "e" * 64)
NOTE = Note(1, "node failed")
FORK = multiprocessing.get_context("fork")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def test_an_entry_is_one_line_with_the_digest_of_the_one_before(path):
    first, second = append(path, START, time_ms=5), append(path, END)
    one, two = path.read_bytes().splitlines()
    assert one == (
        b'{"config":"%s","event":"start","number":1,"previous":null,"problem":"%s","resumes":null,'
        b'"run":"result_0.txt","seed_commitment":"%s","source":"%s","time_ms":5}'
        % (b"b" * 64, b"c" * 64, sha256(b"seed 7").encode(), b"a" * 64)
    )
    assert (first, second) == ((1, sha256(one)), (2, sha256(two)))
    assert json.loads(two)["previous"] == sha256(one)
    found = read_ledger(path)
    assert [(e.number, e.said, e.line) for e in found.entries] == [(1, START, sha256(one)), (2, END, sha256(two))]
    assert (found.faults, found.head) == ((), sha256(two))


@pytest.mark.parametrize(
    ("kind", "fields", "named"),
    [
        (Start, {"run": "a/result_0.txt"}, "run"),
        (Start, {"source": "A" * 64}, "source"),
        (Start, {"config": None}, "config"),
        (Start, {"resumes": 0}, "resumes"),
        (End, {"of": 10_001}, "of"),
        (End, {"status": "failed"}, "status"),
        (Note, {"text": ""}, "text"),
        (Note, {"text": "two\nlines"}, "text"),
        (Note, {"text": "x" * 1001}, "text"),
        (Note, {"of": 1.0}, "of"),
    ],
)
def test_what_is_no_entry_is_refused(kind, fields, named):
    good = {Start: START, End: END, Note: NOTE}[kind]
    with pytest.raises(Wrong, match=f"found {named} "):
        kind(**{**good.__dict__, **fields})


def test_a_note_may_be_as_long_as_its_limit_in_any_script(path):
    append(path, START)
    append(path, Note(1, "\U00020000" * 1000))
    found = read_ledger(path)
    assert found.faults == () and len(found.entries[1].said.text) == 1000


def test_an_entry_that_no_reader_would_take_is_not_appended(path):
    append(path, Frozen("a" * 64))
    with pytest.raises(ValueError, match=r"ledger\.jsonl: found an entry of \d+ bytes, wanted at most 16384"):
        append(path, Asked({"schedule": ["x" * 1000] * 20}, 0))
    append(path, Asked({"schedule": ["x" * 1000] * 15}, 0))
    assert not read_ledger(path).faults and len(read_ledger(path).entries) == 2


def test_an_entry_is_about_an_earlier_one(path):
    with pytest.raises(Wrong, match="found no ledger, wanted that of start 1"):
        append(path, END)
    assert not path.exists()
    append(path, START)
    with pytest.raises(Wrong, match="an entry about entry 3, wanted one of the 1 there are"):
        append(path, Note(3, "of none"))
    append(path, Start(*list(START.__dict__.values())[:-1], resumes=1))
    path.write_bytes(path.read_bytes() + line_of(3, read_ledger(path).head, 0, Note(3, "itself")) + b"\n")
    (fault,) = read_ledger(path).faults
    assert (fault.line, fault.found, fault.wanted) == (3, "an entry about entry 3", "an earlier one")


def test_a_line_that_was_cut_off_is_ended_and_told(path):
    append(path, START)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"event":"end","log":"77')
    assert [(d.line, d.cut) for d in read_ledger(path).faults] == [(2, True)]
    path.write_bytes(path.read_bytes() + b"\n{")
    assert append(path, NOTE)[0] == 4
    found = read_ledger(path)
    assert [(d.line, d.cut) for d in found.faults] == [(2, True), (3, True)]
    assert [e.number for e in found.entries] == [1, 4] and found.entries[1].previous == sha256(b"{")
    path.write_bytes(whole[:-1])  # all but the newline
    (fault,) = read_ledger(path).faults
    assert fault.cut and fault.found == "a last line without an end"
    append(path, END)
    assert read_ledger(path).faults == ()


GONE = line_of(2, "0" * 64, 5, END) + b"\n"  # what is left where the first line is gone
NONE = [(b"hello\n", "'hello'"), (b"[]\n", "'..'"), (b"\n", "''"), (b"\xff", r"'\\xff'"), (GONE, "number 2")]


@pytest.mark.parametrize(("last", "found"), NONE)
def test_nothing_is_appended_to_what_is_no_ledger(path, last, found):
    path.write_bytes(last)
    with pytest.raises(Wrong, match=rf"ledger\.jsonl:1: found {found}, wanted"):
        append(path, START)
    assert path.read_bytes() == last


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to(path.with_name("other"))])
def test_what_is_no_regular_file_is_refused_without_waiting(path, tmp_path, make):
    make(path)
    for act in (lambda: append(path, START), lambda: run_ledger.starts(path)):
        with pytest.raises((Wrong, IsADirectoryError), match=f"{path}"):
            act()
    (fault,) = read_ledger(path).faults
    assert fault.line == 1 and not read_ledger(path).entries
    assert not (tmp_path / "other").exists()


def test_a_ledger_that_is_not_there_or_is_damage_alone(path):
    assert [d.found for d in read_ledger(path).faults] == ["no file that can be read (No such file or directory)"]
    path.write_text("")
    assert [(d.found, d.wanted) for d in read_ledger(path).faults] == [("nothing", "the start of a run")]
    path.write_bytes(b"x\n" * 103)
    faults = read_ledger(path).faults
    assert len(faults) == 101 and faults[-1].line == 101 and faults[-1].found == "3 more faults from here on"


def test_a_ledger_has_so_many_bytes_and_lines_at_most(path, monkeypatch):
    append(path, START, time_ms=5)
    room = len(path.read_bytes()) + len(line_of(2, "0" * 64, 5, END)) + 2
    monkeypatch.setattr(run_ledger, "LARGEST", room - 1)
    with pytest.raises(Wrong, match="wanted room for one more"):
        append(path, END, time_ms=5)
    monkeypatch.setattr(run_ledger, "LARGEST", room)
    append(path, END, time_ms=5)
    monkeypatch.setattr(run_ledger, "LARGEST", room - 2)
    assert [d.found for d in read_ledger(path).faults] == [f"more than {room - 2} bytes"]
    monkeypatch.undo()
    monkeypatch.setattr(run_ledger, "MOST", 2)
    monkeypatch.setattr(ledger, "MOST", 2)
    assert read_ledger(path).faults == ()
    with pytest.raises(Wrong, match="found 2 lines"):
        append(path, NOTE)
    path.write_bytes(path.read_bytes() + b"\n")
    assert [(d.line, d.found) for d in read_ledger(path).faults] == [(3, "3 lines")]


GOOD = line_of(1, None, 5, START)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (GOOD.replace(b":5}", b":NaN}"), "time_ms nan"),
        (GOOD.replace(b":5}", b":-1}"), "time_ms -1"),
        (GOOD.replace(b":5}", b":true}"), "time_ms True"),
        (GOOD.replace(b":5}", b":9007199254740992}"), "time_ms 9007199254740992"),
        (GOOD.replace(b":5}", b":" + b"9" * 5000 + b"}"), '\'{"config"'),
        (GOOD.replace(b'"number":1', b'"number":"1"'), "number '1'"),
        (GOOD.replace(b'"previous":null', b'"previous":0'), "previous 0"),
        (GOOD.replace(b'"event":"start"', b'"event":"begin"'), "event 'begin'"),
        (GOOD.replace(b'"event":"start"', b'"event":{}'), "event {}"),
        (GOOD.replace(b'"event":"start"', b'"event":"end"'), "the field 'config'"),
        (GOOD.replace(b'"resumes":null,', b""), "no field 'resumes'"),
        (GOOD.replace(b'"number":1', b'"number":1,"number":1'), '\'{"config"'),
        (GOOD.decode().encode("utf-16"), "'\\xff\\xfe{"),
        (b"[" * 10_000, "'[["),
        (b'{"a":' * 3000 + b"1" + b"}" * 3000, "a line of 18001 bytes"),
    ],
)
def test_lines_that_hold_no_entry_are_facts(path, line, found):
    with pytest.raises(Wrong) as caught:
        parse(line)
    assert caught.value.found.startswith(found)
    path.write_bytes(line + b"\n")
    (fault,) = read_ledger(path).faults
    assert (fault.line, fault.found, fault.cut) == (1, caught.value.found, False)


def test_an_edited_line_breaks_the_chain_behind_it(path):
    for said in (START, END, NOTE):
        append(path, said)
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second.replace(b"success", b"aborted") + third)
    assert [d.line for d in read_ledger(path).faults] == [3]
    path.write_bytes(first + third)
    assert [(d.line, d.found.split()[0]) for d in read_ledger(path).faults] == [(2, "previous")]
    path.write_bytes(first + line_of(3, sha256(first[:-1]), 5, END) + b"\n")
    assert [(d.line, d.found) for d in read_ledger(path).faults] == [(2, "number 3")]
    path.write_bytes(first + second)
    assert read_ledger(path).faults == ()  # what is cut off at the end, only the head tells


def test_two_processes_append_at_once(path):
    def work(name):
        for at in range(40):
            number, _ = append(path, Start(f"{name}_{at}.txt", *["a" * 64] * 4))
            append(path, Note(number, name))

    children = [FORK.Process(target=work, args=(name,)) for name in ("one", "two")]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
    found = read_ledger(path)
    assert found.faults == () and len(found.entries) == 160
    starts = {e.number: e.said.run for e in found.entries if isinstance(e.said, Start)}
    notes = [e.said for e in found.entries if isinstance(e.said, Note)]
    assert len(starts) == 80 and all(starts[note.of].startswith(note.text) for note in notes)


def test_a_full_disk_cuts_a_line_off_and_the_next_writer_goes_on(path):
    append(path, START)
    size = path.stat().st_size

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 30, size + 30))
        with pytest.raises(OSError, match=r"File too large: '.*/ledger\.jsonl'$"):
            append(path, END)

    child = FORK.Process(target=work)
    child.start()
    child.join()
    assert child.exitcode == 0
    assert path.stat().st_size == size + 30
    append(path, END)
    found = read_ledger(path)
    assert [(d.line, d.cut) for d in found.faults] == [(2, True)] and [e.number for e in found.entries] == [1, 3]
