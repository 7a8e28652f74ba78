"""Telling a witness what a run does: from its log alone, with patience, and without telling anything twice."""

import json
import socket
import threading
from dataclasses import asdict
from types import SimpleNamespace

import pytest

from benchmark.tree import receipts_path
from harness.witnessing import telling
from harness.witnessing.folder import watch
from harness.witnessing.telling import Unheard, ask, attend, patiently, points, receipts_of, tell_start
from rules.witness import Start, Step
from tests.support.told import REQUEST, TEXT, write
from tests.support.waiting import wait_for

HEAD, BEGIN, EPOCH, END = ("init_start", "run_start", "eval_accuracy", "run_stop")


@pytest.fixture
def witness(store):
    """A witness that is there, or not: `heard` counts what it was told; while `away`, nobody hears it."""
    found = SimpleNamespace(away=0, heard=[])

    def tell(text):
        if found.away:
            found.away -= 1
            raise Unheard("http://witness: no route")
        found.heard.append(json.loads(text))
        return store.receipt_for("acme", text)

    found.tell = tell
    return found


@pytest.fixture
def log(tmp_path, witness):
    """The log of a run whose start was told."""
    path = tmp_path / "set" / "result_3.txt"
    tell_start(witness.tell, REQUEST, path)
    return path


def kinds(log):
    return [told.kind if isinstance(told := receipt.told, Step) else "start" for receipt in receipts_of(log)]


def test_the_start_is_told_first_and_once(witness, log):
    (receipt,) = receipts_of(log)
    assert receipt.told == Start(**asdict(REQUEST), run=receipt.told.run, log="result_3.txt")
    with pytest.raises(ValueError, match=r"receipts_3\.jsonl: found receipts without a log, wanted none before"):
        tell_start(witness.tell, REQUEST, log)


def attended(witness, log):
    """Tell what is there of a run that is over."""
    attend(witness.tell, log, "eval_accuracy", lambda: True)


def test_a_whole_run(witness, log):
    write(log, HEAD, BEGIN, EPOCH, "other", EPOCH, END, "weights")
    attended(witness, log)
    assert kinds(log) == ["start", "run_start", "evaluation", "evaluation", "run_stop"]
    lengths = [r.told.bytes for r in receipts_of(log)[1:]]
    lines = log.read_text().splitlines(keepends=True)
    assert lengths == [sum(map(len, lines[:n])) for n in (2, 3, 5, 6)]


def test_what_is_written_is_told_as_it_is_written(witness, log):
    over = threading.Event()
    thread = threading.Thread(target=attend, args=(witness.tell, log, "eval_accuracy", over.is_set))
    thread.start()
    for number, key in enumerate((HEAD, BEGIN, EPOCH, EPOCH, END)):
        write(log, key)
        wait_for(lambda wanted=number + 1: len(witness.heard) == wanted, 20)
    over.set()
    thread.join(20)
    assert not thread.is_alive() and len(kinds(log)) == 5


def test_half_a_line_is_not_told(witness, log):
    write(log, HEAD, BEGIN)
    whole = log.read_text()
    log.write_text(whole[:-5])
    assert points(log, "eval_accuracy") == []
    log.write_text(whole)
    assert points(log, "eval_accuracy") == [("run_start", len(whole))]
    assert points(log.with_name("none.txt"), "eval_accuracy") == []


def test_patience_ends_some_time_after_the_run(witness, log):
    write(log, HEAD, BEGIN, END)
    witness.away = 10**9
    with pytest.raises(Unheard, match="no route"):
        attended(witness, log)
    witness.away = 0
    attended(witness, log)  # the rest, later
    assert kinds(log) == ["start", "run_start", "run_stop"]


def test_patience_does_not_end_while_the_run_goes_on(witness, log):
    write(log, HEAD, BEGIN)
    witness.away = 60  # at 0.01 s each, twice the patience
    attend(witness.tell, log, "eval_accuracy", lambda: len(witness.heard) > 1)
    assert kinds(log) == ["start", "run_start"]


def test_nothing_is_told_twice(witness, log):
    """A run is resumed whose end was not told, since the command was killed with it, while it wrote a receipt."""
    write(log, HEAD, BEGIN, EPOCH)
    attended(witness, log)
    told, path = len(witness.heard), receipts_path(log)
    write(log, END, "resumed", EPOCH, END)
    attended(witness, log)
    assert [one["step"] for one in witness.heard[told:]] == [3, 4, 5]
    assert kinds(log) == ["start", "run_start", "evaluation", "run_stop", "evaluation", "run_stop"]
    whole = path.read_text()
    path.write_text(whole[:-20])
    attended(witness, log)
    assert path.read_text() == whole and len(witness.heard) == told + 4


def test_receipts_that_are_none(witness, log):
    receipts_path(log).write_text("rubbish\n")
    with pytest.raises(ValueError, match=r"receipts_3\.jsonl: found no receipts of a run, wanted that of its start"):
        attended(witness, log)


def test_what_the_witness_refuses_is_not_tried_again(log):
    write(log, HEAD, BEGIN)
    asked = []

    def refuse(text):
        asked.append(text)
        raise ValueError("http://witness: 409 found another step")

    with pytest.raises(ValueError, match="409 found another step"):
        attend(refuse, log, "eval_accuracy", lambda: False)
    assert len(asked) == 1
    with pytest.raises(ValueError, match="the witness's answer: found '<html>'"):  # no receipt
        attend(lambda text: "<html>", log, "eval_accuracy", lambda: False)


def test_pauses_grow(monkeypatch):
    slept = []
    monkeypatch.setattr(telling, "PAUSES", (1.0, 2.0, 4.0))
    monkeypatch.setattr(telling.time, "sleep", slept.append)

    def deaf(text):
        raise Unheard("away")

    with pytest.raises(Unheard):
        patiently(deaf, "", lambda seconds: len(slept) < 5)
    assert slept == [1.0, 2.0, 4.0, 4.0, 4.0]


def told_over(tell, log):
    """Tell of a whole run."""
    tell_start(tell, REQUEST, log)
    write(log, HEAD, BEGIN, END)
    attend(tell, log, "eval_accuracy", lambda: True)
    assert kinds(log) == ["start", "run_start", "run_stop"]


def test_over_http(served, tmp_path):
    told_over(ask(served.address, served.token), tmp_path / "set" / "result_0.txt")
    with pytest.raises(ValueError, match="401 found no token that is known"):
        ask(served.address, "wrong")("{}")
    with pytest.raises(ValueError, match="400 found no field 'benchmark'"):
        ask(served.address, served.token)("{}")


def test_through_a_folder(tmp_path, store):
    shared = tmp_path / "shared"
    shared.mkdir()
    threading.Thread(target=watch, args=(store, shared), daemon=True).start()
    told_over(ask(f"file:{shared}", store.new_token("acme")), tmp_path / "set" / "result_0.txt")
    with pytest.raises(ValueError, match="refused: found no token that is known"):
        ask(f"file:{shared}", "wrong")(TEXT)
    assert ask(f"file:{shared}", store.new_token("acme"))(TEXT).startswith("{")  # the same, with a token


@pytest.mark.parametrize("said", [b"SSH-2.0\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"])
def test_an_answer_that_is_no_http_is_worth_another_try(said):
    def serve():
        connection, _ = listening.accept()
        connection.recv(4096)
        connection.sendall(said)
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(Unheard):
            ask(f"http://127.0.0.1:{listening.getsockname()[1]}", "token")("{}")
        thread.join(20)


def test_where_nobody_answers(tmp_path, monkeypatch):
    monkeypatch.setattr(telling, "TIMEOUT", 0.05)
    for where, said in (
        ("http://127.0.0.1:1", r"http://127\.0\.0\.1:1: .*refused"),
        ("http://127.0.0.1:port", "nonnumeric port"),
        (f"file:{tmp_path}", r"found no answer in 0\.05 s, wanted `witness\.py watch` to look at it"),
        (f"file:{tmp_path / 'none'}", "No such file or directory"),
    ):
        with pytest.raises(Unheard, match=said):
            ask(where, "token")("{}")
    with pytest.raises(ValueError, match=r"--witness: found ftp://x, wanted https://\.\.\., http://\.\.\. or file:"):
        ask("ftp://x", "token")
