"""The witness's commands, and a set of runs that is told to it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from dataclasses import replace

import pytest

from benchmark.tree import receipts_path, result_path, set_path
from compliance.engine import judge
from harness import submit, witness
from harness.witnessing import telling
from harness.witnessing.folder import watch
from harness.witnessing.store import Store, sha256
from rules.current import EDITION, ROOT
from rules.witness import Start, parse_receipt, read_receipts
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
    none = "x.db: found no file, wanted the database of a witness"
    for words, said in (
        (["new", str(database), "--edition", EDITION], "found a file, wanted a new name: a witness keeps its key"),
        (["new", str(tmp_path / "w.db"), "--edition", "v7.7"], "v7.7"),
        (["token", "x.db", "acme"], none),
        (["serve", "x.db"], none),
        (["watch", "x.db", "."], none),
        (["publish", str(database), str(tmp_path / "v9.9")], f"found a folder of v9.9, wanted one of {EDITION}"),
        (["tell", str(tmp_path / "result_0.txt"), "--witness", "http://127.0.0.1:1"], "receipts_0.jsonl"),
    ):
        assert witness.main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("witness.py: ") and said in line
    assert not (tmp_path / "w.db").exists()


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


def receipts(fake, run):
    return list(read_receipts(receipts_path(set_path(fake.submission, "laptop", "scaffold") / f"result_{run}.txt")))


@pytest.mark.slow
def test_a_set_is_told_and_takes_its_seeds_from_receipts(fake, told):
    options, _ = told
    assert fake.submit("--runs", "2", *options) == 0
    for run, call in enumerate([call for call in fake.starts() if "--log" in call["options"]][-2:]):
        words = call["options"]
        assert words[words.index("--registry") + 1].endswith(f"receipts_{run}.jsonl")
        assert words[words.index("--entry") + 1] == "1"
        start, *steps = receipts(fake, run)
        assert isinstance(start.told, Start) and start.told.title == "Us, laptop, scaffold, tiny"
        assert [step.told.kind for step in steps][:1] == ["run_start"] and steps[-1].told.kind == "run_stop"


@pytest.mark.slow
def test_a_run_that_is_made_again_has_a_start_of_its_own(fake, told):
    options, store = told
    fake.acts("reach", "kill")  # the head of a log comes first
    assert fake.submit("--runs", "1", *options) == 1
    fake.acts()
    assert fake.submit("--runs", "1", *options) == 0
    (aside,) = fake.submission.rglob("superseded/*/receipts_0.jsonl")
    runs = {next(read_receipts(aside)).told.run, receipts(fake, 0)[0].told.run}
    assert len(runs) == 2 and runs == {parse_receipt(line).told.run for line in store.chain()}


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
    assert submit.main(tiny.harness(out, "--runs", "1", *options)) == 0
    assert witness.main(["publish", str(database), str(out)]) == 0
    limits = published(result_path(out / "Us", "laptop", "scaffold", 0), tmp_path / "rules") / EDITION / "limits.yaml"
    required = f"witness: required\nwitness_key: {store.public_key}"
    limits.write_text(limits.read_text().replace("witness: optional", required))
    assert [f.code for f in judge([str(out)], rules=tmp_path / "rules").findings if f.severity == "error"] == []
