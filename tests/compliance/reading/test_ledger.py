"""A launch ledger beside its runs: whose starts are whose, and what became of the others."""

from dataclasses import replace

import pytest

from compliance.engine import judge
from compliance.reading import ledger as module
from compliance.reading.ledger import ABORTED, NOTED, REPEATED, UNEXPLAINED, beginnings, ledger_of, start_in
from compliance.reading.tree import read_set
from rules.edition import load
from tests.compliance import made
from tests.compliance.ledgers import sha256, time_of


@pytest.fixture
def read(launched, law):
    """The ledger and the runs of the set, as they are now."""

    def look(edition="v1.0"):
        folder = launched.ledger.parent
        (runs,) = judge([launched.root], rules=law).all_sets
        found = ledger_of(read_set(folder, "given/scaffold", folder), load(edition, law))
        return found, [log.run for log in runs.logs]

    return look


def test_it_lies_beside_the_logs(launched, read):
    found, runs = read()
    assert found.path == "given/scaffold/ledger.jsonl" and found.ledger.faults == ()
    assert [[entry.number for entry in found.starts_of(run)] for run in runs] == [[1], [3], [5], [7], [9]]
    assert found.others(runs) == {} and sorted(found.ends) == [1, 3, 5, 7, 9]
    assert read("mlperf-hpc-v3.0")[0] is None  # an edition without ledgers
    launched.ledger.unlink()
    assert read()[0] is None


def test_what_is_there_and_no_file_is_damage(launched, read):
    launched.ledger.write_bytes(launched.ledger.read_bytes() + b"x\ny\n")
    found, runs = read()
    assert "; 2 faults; " in found.summary(runs)
    launched.ledger.unlink()
    launched.ledger.symlink_to("nowhere")
    found, runs = read()
    assert [damage.found for damage in found.ledger.faults] == ["a symbolic link"] and found.others(runs) == {}
    assert found.summary(runs) == "ledger: 0 starts, 0 runs, 0 restarted, 0 failed; 1 fault; head none"


def test_a_log_has_the_starts_that_it_states_and_no_others(launched, read):
    launched.changed("ledger", 0, value=3)
    launched.changed("ledger", 1, value=2)
    launched.changed("ledger", 2, metadata={"line": None})
    launched.changed("ledger", 3, value=None)
    found, runs = read()
    assert [len(found.starts_of(run)) for run in runs] == [0, 0, 0, 0, 1]
    for other in ({"launch": None}, {"file": runs[3].file}):
        assert found.starts_of(replace(runs[4], **other)) == []


@pytest.mark.parametrize(
    ("status", "name", "noted", "fate"),
    [
        ("aborted", "", False, ABORTED),
        (None, "result_9.txt", True, NOTED),
        ("success", "", True, REPEATED),
        ("success", "result_9.txt", True, NOTED),
        ("success", "", False, UNEXPLAINED),
    ],
)
def test_what_became_of_a_start_without_a_log(launched, read, status, name, noted, fate):
    def before(campaign, index):
        if index == 1:
            number = launched.tried(campaign, 1, status, name)
            if noted:
                campaign.note(number, "a note", time_of(launched.logs[1].events, "init_start") - 1)

    launched.launch(before)
    found, runs = read()
    assert found.others(runs) == {3: fate}


def test_a_line_sums_it_up(launched, read):
    def before(campaign, index):
        if index == 1:
            launched.tried(campaign, 1, "aborted", ago=900)
            launched.tried(campaign, 1)
        if index == 2:
            launched.tried(campaign, 2, "success")

    campaign = launched.launch(before)
    events = launched.logs[4].events
    campaign.start(events, "result_4.txt", resumes=14, time_ms=time_of(events, "run_stop") + 9)
    campaign.write(launched.ledger.parent)
    found, runs = read()
    head = found.ledger.head[:12]
    told = "9 starts, 5 runs, 1 restarted, 2 failed, 1 left out"
    assert found.summary(runs) == f"ledger: {told}; head {head}"


def test_how_a_log_began(launched, read, tmp_path, monkeypatch):
    _, runs = read()
    lines = launched.path(0).read_bytes().splitlines(keepends=True)
    whole, half = (sha256(b"".join(lines[:count])) for count in (len(lines), 20))
    broken = sha256(b"".join(lines[:20])[:-1])
    assert beginnings(runs[0], {whole, half, broken, "0" * 64}) == {whole, half}
    assert beginnings(runs[0], set()) == set()
    launched.path(0).unlink()
    assert beginnings(runs[0], {whole}) == set()
    (tmp_path / "log").write_bytes(b"12345678\n")
    monkeypatch.setattr(module, "PIECE", 4)
    for most, found in ((2, set()), (3, {sha256(b"12345678\n")})):  # so many pieces of a log are read
        monkeypatch.setattr(module, "MOST_PIECES", most)
        assert beginnings(made.run(file=tmp_path / "log"), {sha256(b"12345678\n")}) == found


@pytest.mark.parametrize(
    ("keys", "line", "started"),
    [
        (("seed",), None, False),
        (("seed", "run_start"), None, True),
        (("ledger", "run_start"), "d" * 64, True),
        (("ledger", "run_start"), ["d"], True),  # which is no text
        (("run_start", "ledger"), None, True),
        (None, None, True),
    ],
)
def test_how_a_log_states_its_start(logs, tmp_path, keys, line, started):
    path = tmp_path / "result_0.txt"
    if keys is not None:
        logs.Log([logs.logged(1, key, 1, line=line or "d" * 64) for key in keys]).write(path)
    assert start_in(path) == (line if type(line) is str else None, started)
