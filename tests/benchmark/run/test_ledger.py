"""What a run appends to the ledger of its set. tests/benchmark/test_ledger.py has what becomes of damaged ones."""

import fcntl
import hashlib
import json
from unittest.mock import Mock

import pytest

from benchmark.ledger import Note, read_ledger
from benchmark.ledger import append as append_entry
from benchmark.run.ledger import append_end, append_start, commitment, starts

DIGESTS = {"source": "a" * 64, "config": "b" * 64, "problem": "c" * 64}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def last(path) -> bytes:
    return path.read_bytes().splitlines()[-1]


def test_a_start_commits_to_its_seed_and_does_not_tell_it(path):
    number, line = append_start(path, "result_0.txt", 7, DIGESTS, resumed=False)
    assert number == 1 and line == hashlib.sha256(last(path)).hexdigest()
    fields = json.loads(last(path))
    assert fields.pop("time_ms") > 10**12
    wanted = {"event": "start", "number": 1, "previous": None, "run": "result_0.txt", "resumes": None, **DIGESTS}
    assert fields == {**wanted, "seed_commitment": hashlib.sha256(b"seed 7").hexdigest()}
    assert commitment(7) == fields["seed_commitment"] != commitment(8)


def test_a_resumed_run_refers_to_its_own_last_start(path):
    def start(run, resumed=False):
        append_start(path, run, 7, DIGESTS, resumed)
        return json.loads(last(path))["resumes"]

    assert start("result_0.txt") is None and start("result_1.txt") is None
    assert start("result_0.txt", True) == 1
    append_entry(path, Note(3, "node failed"))
    assert start("result_0.txt", True) == 3 and start("result_1.txt", True) == 2
    assert start("result_0.txt") is None  # a new run of that name
    assert start("result_2.txt", True) is None  # whose start is in no ledger
    assert read_ledger(path).faults == ()


def test_a_file_system_may_have_no_locks(path, monkeypatch):
    """As Lustre's, unless it is mounted with them."""
    monkeypatch.setattr(fcntl, "flock", Mock(side_effect=OSError(38, "Function not implemented")))
    number, _ = append_start(path, "result_0.txt", 7, DIGESTS, resumed=False)
    append_end(path, number, "success", "d" * 64)
    assert len(read_ledger(path).entries) == 2


def test_starts_are_read_past_what_is_none(path):
    """A run does not judge the lines of others."""
    assert starts(path) == []
    append_start(path, "result_0.txt", 7, DIGESTS, resumed=False)
    append_end(path, 1, "aborted", "e" * 64)
    with path.open("ab") as file:
        file.write(b'\xff\nnull\n{"event":"start","number":"4"}\n{"event": "start", "number": 5}\n{"event":"sta')
    assert [(entry["number"], entry["run"]) for entry in starts(path)] == [(1, "result_0.txt")]
    append_start(path.with_name("other.jsonl"), "result_0.txt", 7, DIGESTS, resumed=False)
