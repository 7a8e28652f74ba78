"""A launch ledger beside its runs: whose starts are whose, and what became of the others."""

import pytest

from compliance.engine import judge
from compliance.reading import digest
from compliance.reading import ledger as module
from compliance.reading.ledger import ABORTED, NOTED, REPEATED, UNEXPLAINED, begun, ledger_of, start_in
from compliance.reading.tree import read_set
from rules.edition import load
from tests.compliance import made
from tests.compliance.ledgers import sha256, time_of


@pytest.fixture
def read(launched, law):
    """The ledger and the runs of the set, as they are now."""

    def look():
        folder = launched.ledger.parent
        (runs,) = judge([launched.root], rules=law).all_sets
        found = ledger_of(read_set(folder, "given/scaffold", folder), load("v1.0", law))
        return found, [log.run for log in runs.logs]

    return look


def test_what_is_there_and_no_file_is_damage(launched, read):
    launched.ledger.write_bytes(launched.ledger.read_bytes() + b"x\ny\n")
    found, runs = read()
    assert "; 2 faults; " in found.summary(runs)
    launched.ledger.unlink()
    launched.ledger.symlink_to("nowhere")
    found, runs = read()
    assert [damage.found for damage in found.ledger.faults] == ["a symbolic link"] and found.others(runs) == {}
    assert found.summary(runs) == "ledger: 0 starts, 0 runs, 0 restarted, 0 failed; 1 fault; head none"


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


def test_how_a_log_began_is_read_in_so_many_pieces(tmp_path, monkeypatch):
    run = made.run(file=tmp_path / "log")
    first, whole, broken = (sha256(data) for data in (b"1234\n", b"1234\n567\n", b"1234\n56"))
    assert begun(run, {first}) == set()  # there is no log
    run.file.write_bytes(b"1234\n567\n")
    monkeypatch.setattr(digest, "LONGEST", 4)  # bytes, of a line longer than that
    for most, found in ((2, {first}), (3, {first, whole})):
        monkeypatch.setattr(module, "MOST_LINES", most)
        assert begun(run, {first, whole, broken}) == found


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
