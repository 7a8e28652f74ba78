"""What a witness stores: it answers the same question the same way, refuses what contradicts, and loses nothing."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest

from harness.witnessing import store as module
from harness.witnessing.store import Refused, Store
from rules.current import ROOT
from rules.registry import Wrong, canonical
from rules.witness import Step, follows, is_signed, parse_receipt
from tests.support.told import START


def step(number, run="1" * 32, **fields):
    return replace(Step(run, number, "run_start", 100 * number, "c" * 64), **fields)


def tell(store, told, organisation="acme"):
    return parse_receipt(store.receipt_for(organisation, canonical(asdict(told))))


def test_receipts_are_a_signed_chain(store):
    receipts = [tell(store, told) for told in (START, step(1), replace(START, run="2" * 32), step(2))]
    before = None
    for receipt in receipts:
        assert is_signed(receipt, store.public_key) and follows(receipt, before) == ""
        before = receipt
    assert [receipt.number for receipt in receipts] == [1, 2, 3, 4]
    assert receipts[0].seed != receipts[2].seed
    assert abs(receipts[0].time_ms / 1000 - time.time()) < 60
    assert [parse_receipt(line) for line in store.chain()] == receipts
    assert [parse_receipt(line) for line in store.chain(3)] == receipts[3:]
    assert [tell(store, told) for told in (START, step(1))] == receipts[:2]  # the same again gets the same receipt
    assert len(list(store.chain())) == 4


@pytest.mark.parametrize(
    ("told", "organisation", "message"),
    [
        (START, "bolt", "found another step 0 of run 1111"),
        (step(1, digest="d" * 64), "acme", "found another step 1 of run 1111"),
        (step(3), "acme", "found step 3 after step 1, wanted step 2"),
        (step(2), "bolt", "found run 1111.* without a start, wanted a start, told by bolt"),
        (step(2, bytes=100), "acme", "found a log of 100 bytes after one of 100"),
        (replace(START, run="2" * 32, organisation="bolt"), "acme", "found organisation bolt, wanted acme, whose"),
    ],
)
def test_what_contradicts_is_refused_and_changes_nothing(store, told, organisation, message):
    tell(store, START)
    tell(store, step(1))
    with pytest.raises(Refused, match=message):
        tell(store, told, organisation)
    assert len(list(store.chain())) == 2
    assert tell(store, step(2, bytes=101)).number == 3


def test_an_organisation_has_so_many_starts(store, monkeypatch):
    monkeypatch.setattr(module, "MOST_STARTS", 2)
    for run in "12":
        tell(store, replace(START, run=run * 32))
    with pytest.raises(Refused, match="found 2 starts of acme already, wanted no more of them"):
        tell(store, replace(START, run="3" * 32))
    assert tell(store, START).number == 1
    assert tell(store, replace(START, run="3" * 32, organisation="bolt"), "bolt").number == 3


def test_rubbish_is_wrong(store):
    for text in ("", "{}", "[1]", "\0", '{"kind": "run_stop"}'):
        with pytest.raises(Wrong):
            store.receipt_for("acme", text)


def test_a_clock_that_is_set_back_does_not_run_back(store, monkeypatch):
    first = tell(store, START)
    monkeypatch.setattr(module, "now_ms", lambda: first.time_ms - 5000)
    assert tell(store, step(1)).time_ms == first.time_ms


def test_a_token_is_known_by_its_digest_alone(store, tmp_path):
    token = store.new_token("acme")
    assert store.organisation_of(module.sha256(token)) == "acme"
    assert store.organisation_of(token) is None and store.organisation_of(5) is None
    assert token.encode() not in (tmp_path / "witness.db").read_bytes()


def test_it_is_the_same_when_opened_again(store, tmp_path):
    first = tell(store, replace(START, organisation="ACME"))  # a name may be spelled otherwise
    again = Store(tmp_path / "witness.db")
    assert (again.edition, again.public_key) == ("v1.0", store.public_key)
    assert tell(again, step(1)).previous == first.sha256
    assert tell(store, step(2)).number == 3  # the first one sees what the second wrote


def test_what_is_no_database_or_others_can_read(store, tmp_path):
    path, text = tmp_path / "witness.db", tmp_path / "text.db"
    text.write_text("no database, but a text of some length, longer than a header")
    text.chmod(0o600)
    for words, said in (
        ((tmp_path / "none.db",), r"none.db: found no file, wanted the database of a witness"),
        ((path, "v1.1"), r"witness.db: found edition v1.0, wanted v1.1"),
        ((text,), r"text.db: file is not a database"),
    ):
        with pytest.raises(ValueError, match=said):
            Store(*words)
    assert path.stat().st_mode & 0o077 == 0
    path.chmod(0o644)
    with pytest.raises(ValueError, match=r"witness.db: found a file that others can read, wanted mode 600"):
        Store(path)


TELLER = """
import sys
from dataclasses import asdict
from pathlib import Path
from harness.witnessing.store import Store
from rules.registry import canonical
from rules.witness import Start
store = Store(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 10**6):
    start = Start("acme", "box", "scaffold", "smoke", "a" * 64, "b" * 64, run=f"{number:032x}", log="result_0.txt")
    print(store.receipt_for("acme", canonical(asdict(start))), flush=True)
"""


@pytest.mark.slow
def test_a_killed_witness_loses_no_receipt_that_it_gave(store, tmp_path):
    """It is killed 20 times, at any moment."""
    given = []
    for kill in range(20):
        command = [sys.executable, "-c", TELLER, str(tmp_path / "witness.db"), str(1000 * kill)]
        with subprocess.Popen(command, cwd=ROOT.parent, stdout=subprocess.PIPE, text=True) as process:
            given.append(process.stdout.readline())
            time.sleep(0.01 * kill)
            os.kill(process.pid, signal.SIGKILL)
            given += [line for line in process.stdout if line.endswith("\n")]
    chain = list(store.chain())
    assert {line.strip() for line in given} <= set(chain)
    before = None
    for receipt in map(parse_receipt, chain):
        assert follows(receipt, before) == ""
        before = receipt
