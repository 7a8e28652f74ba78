"""The witness's commands, and a set of runs that is told to it."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from dataclasses import replace
from functools import partial

import pytest

from benchmark.tree import result_path
from compliance.engine import judge
from harness import submit, witness
from harness.witnessing import telling
from harness.witnessing.folder import watch
from harness.witnessing.store import Store, sha256
from rules.current import EDITION, ROOT
from rules.witness import parse_receipt, read_receipts
from tests.support.told import REQUEST, write


@pytest.fixture
def database(tmp_path, capsys):
    """A new witness's database, by the command."""
    path = tmp_path / "witness.db"
    assert witness.main(["new", str(path), "--edition", EDITION]) == 0
    assert capsys.readouterr().out == f"witness_key: {Store(path).public_key}\n"
    return path


def test_commands_that_cannot_be_done_are_one_line(database, tmp_path, capsys):
    (tmp_path / "v9.9").mkdir()
    empty = tmp_path / "empty.db"
    empty.touch(0o600)
    none = "x.db: found no file, wanted the database of a witness"
    for words, said in (
        (["new", str(database), "--edition", EDITION], "found a file, wanted a new name: a witness keeps its key"),
        (["new", str(tmp_path / "w.db"), "--edition", "v7.7"], "v7.7"),
        (["token", "x.db", "acme"], none),
        (["token", str(database), "a/b"], "found 'a/b', wanted a name as runs have"),
        (["serve", "x.db"], none),
        (["serve", str(database), "--port", "99999"], "--port: found 99999, wanted 1 to 65535"),
        (["watch", "x.db", "."], none),
        (["watch", str(database), str(tmp_path / "none"), "--once"], "none: No such file or directory"),
        (["token", str(empty), "acme"], "found no round, wanted a database of `witness.py new`"),
        (["publish", str(database), str(tmp_path / "v9.9")], f"found a folder of v9.9, wanted one of {EDITION}"),
        (["tell", str(tmp_path / "result_0.txt"), "--witness", "http://127.0.0.1:1"], "receipts_0.jsonl"),
    ):
        assert witness.main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("witness.py: ") and said in line
    assert not (tmp_path / "w.db").exists()


def test_a_port_that_is_taken_is_refused(database, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert witness.main(["serve", str(database), "--port", str(taken.getsockname()[1])]) == 2
    assert capsys.readouterr().err.endswith("wanted a port that is free\n")


def test_a_token_is_printed_and_known(database, capsys):
    assert witness.main(["token", str(database), "acme"]) == 0
    assert Store(database).organisation_of(sha256(capsys.readouterr().out.strip())) == "acme"


@pytest.fixture
def told(fake, database, tmp_path, monkeypatch):
    """What submit.py needs to tell a witness that looks at a folder, and its store."""
    monkeypatch.setattr(telling, "POLL", 0.01)
    shared, store = tmp_path / "shared", Store(database)
    shared.mkdir()
    threading.Thread(target=watch, args=(store, shared), daemon=True).start()
    monkeypatch.setenv("WITNESS_TOKEN", store.new_token("Us"))
    return ["--witness", f"file:{shared}"], store


@pytest.mark.slow
def test_a_run_that_is_made_again_has_a_start_of_its_own(fake, told):
    options, store = told
    fake.acts("reach", "kill")  # the head of a log comes first
    assert fake.submit("--runs", "1", *options) == 1
    fake.acts()
    assert fake.submit("--runs", "1", *options) == 0
    assert len(list(fake.submission.rglob("superseded/*/receipts_0.jsonl"))) == 1
    starts = [next(read_receipts(path)).told.run for path in fake.submission.rglob("receipts_0.jsonl")]
    assert len(set(starts)) == 2 and set(starts) == {parse_receipt(line).told.run for line in store.chain()}


@pytest.mark.parametrize(("benchmark", "metric"), [("scaffold", "eval_accuracy"), ("cosmoflow", "eval_error")])
def test_the_rest_is_told_by_the_metric_of_the_benchmark(database, tmp_path, monkeypatch, benchmark, metric):
    store = Store(database)
    monkeypatch.setattr(witness, "ask", lambda where, token: lambda text: store.receipt_for("acme", text))
    log = tmp_path / "set" / "result_0.txt"
    request = replace(REQUEST, benchmark=benchmark)
    telling.tell_start(lambda text: store.receipt_for("acme", text), request, log)
    write(log, "run_start", metric, "run_stop")
    assert witness.main(["tell", str(log), "--witness", "http://x"]) == 0
    assert [receipt.told.kind for receipt in telling.receipts_of(log)[1:]] == ["run_start", "evaluation", "run_stop"]


def test_the_rest_of_an_unknown_benchmark_is_not_told(database, tmp_path, monkeypatch, capsys):
    store, log = Store(database), tmp_path / "set" / "result_0.txt"
    telling.tell_start(partial(store.receipt_for, "acme"), replace(REQUEST, benchmark="atlas"), log)
    assert witness.main(["tell", str(log), "--witness", "http://x"]) == 2
    assert "receipts_0.jsonl: found the benchmark 'atlas', wanted one of scaffold, " in capsys.readouterr().err


def test_a_round_is_published_from_inside_its_folder(database, tmp_path, monkeypatch):
    (folder := tmp_path / EDITION).mkdir()
    monkeypatch.chdir(folder)
    assert witness.main(["publish", str(database), "."]) == 0 and (folder / "witness.jsonl").read_text() == ""


def test_without_a_token_nothing_is_made(fake, told, monkeypatch, capsys):
    options, _ = told
    monkeypatch.delenv("WITNESS_TOKEN")
    assert fake.submit("--runs", "1", *options) == 2
    assert "--witness: found no WITNESS_TOKEN in the environment" in capsys.readouterr().err
    assert not list(fake.submission.rglob("result_*.txt"))


@pytest.mark.slow
def test_it_serves_until_a_signal_ends_it(database):
    command = [sys.executable, "harness/witness.py", "serve", str(database), "--port", "8713"]
    with subprocess.Popen(command, cwd=ROOT.parent) as process:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen("http://127.0.0.1:8713/key", timeout=5) as answer:
                    assert json.load(answer) == {"edition": EDITION, "key": Store(database).public_key}
                break
            except OSError:
                time.sleep(0.1)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(30) in (0, -signal.SIGTERM)


def test_a_run_that_is_told_is_in_order(forking, tiny, told, published, database, tmp_path):
    """Of the reference, in a round that requires a witness."""
    options, store = told
    out = tmp_path / EDITION
    assert submit.main(tiny.harness(out, "--runs", "2", *options)) == 0
    assert witness.main(["publish", str(database), str(out)]) == 0
    log = result_path(out / "Us", "laptop", "scaffold", 0)
    limits = published(log, tmp_path / "rules", 2) / EDITION / "limits.yaml"
    required = f"witness: required\nwitness_key: {store.public_key}"
    limits.write_text(limits.read_text().replace("witness: optional", required))
    assert [f.code for f in judge([str(out)], rules=tmp_path / "rules").findings if f.severity == "error"] == []
