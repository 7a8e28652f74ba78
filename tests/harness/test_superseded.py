import pytest

from benchmark.ledger import Note, Start, append, read_ledger
from benchmark.run.files import LEDGER, environment_path, weights_path
from benchmark.tree import SUPERSEDED, receipts_path
from harness.superseded import follow, supersede


def files(log):
    """The files of a run that was resumed once."""
    return [log, weights_path(log), receipts_path(log), environment_path(log), environment_path(log, 1)]


def test_the_files_of_a_run_are_moved_and_the_ledger_says_so(tmp_path):
    logs = [tmp_path / f"result_{run}.txt" for run in range(2)]
    weights_path(logs[0]).parent.mkdir()
    for log in logs:
        for path in files(log):
            path.write_text(path.name)
        append(tmp_path / LEDGER, Start(log.name, *(digit * 64 for digit in "abcd")))
    place = supersede(logs[1:], "broke off")
    assert place.parent == tmp_path / SUPERSEDED
    assert all(path.exists() for path in files(logs[0])) and not any(path.exists() for path in files(logs[1]))
    assert [path.read_text() for path in files(place / "result_1.txt")] == [path.name for path in files(logs[1])]
    (note,) = (e.said for e in read_ledger(tmp_path / LEDGER).entries if isinstance(e.said, Note))
    assert note == Note(2, f"superseded: broke off; moved to superseded/{place.name}/result_1.txt")


def test_a_ledger_that_is_none_stops_before_anything_moves(tmp_path):
    log = tmp_path / "result_0.txt"
    assert supersede([log], "broke off") is None and not list(tmp_path.iterdir())  # nothing to move
    log.write_text("")
    append(tmp_path / LEDGER, Start(log.name, *(digit * 64 for digit in "abcd")))
    with open(tmp_path / LEDGER, "ab") as file:
        file.write(b"something else\n")
    with pytest.raises(ValueError, match="wanted"):
        supersede([log], "broke off")
    assert log.exists()


def test_what_a_start_without_a_log_left_replaces_nothing(tmp_path):
    """As receipts do, which are there before a run has a log."""
    log = tmp_path / "result_0.txt"
    log.write_text("earlier")
    receipts_path(log).write_text("earlier")
    place = supersede([log], "broke off")
    for path in files(log)[2:]:
        path.write_text("later")
    follow(tmp_path)
    assert receipts_path(place / log.name).read_text() == "earlier" and receipts_path(log).read_text() == "later"
    assert environment_path(place / log.name).read_text() == "later"  # which the earlier one lacked
