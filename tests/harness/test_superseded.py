import pytest

from benchmark.ledger import Note, Start, append, read_ledger
from benchmark.run.files import LEDGER, environment_path, weights_path
from benchmark.tree import SUPERSEDED, receipts_path
from harness.superseded import supersede


def test_a_log_and_its_weights_are_moved_and_the_ledger_says_so(tmp_path):
    logs = [tmp_path / f"result_{run}.txt" for run in range(2)]
    for log in logs:
        weights_path(log).parent.mkdir(exist_ok=True)
        log.write_text(log.name)
        weights_path(log).write_text(f"weights of {log.name}")
        receipts_path(log).write_text(f"receipts of {log.name}")
        for resumed in (0, 1):
            environment_path(log, resumed).write_text(f"environment {resumed} of {log.name}")
        append(tmp_path / LEDGER, Start(log.name, *(digit * 64 for digit in "abcd")))
    place = supersede(logs[1:], "broke off")
    assert place.parent == tmp_path / SUPERSEDED
    assert logs[0].exists() and weights_path(logs[0]).exists()
    assert not logs[1].exists() and not weights_path(logs[1]).exists()
    assert (place / "result_1.txt").read_text() == "result_1.txt"
    assert (place / "receipts_1.jsonl").read_text() == "receipts of result_1.txt"
    assert receipts_path(logs[0]).exists() and not receipts_path(logs[1]).exists()
    assert weights_path(place / "result_1.txt").read_text() == "weights of result_1.txt"
    for resumed in (0, 1):
        assert environment_path(place / "result_1.txt", resumed).read_text() == f"environment {resumed} of result_1.txt"
        assert environment_path(logs[0], resumed).exists() and not environment_path(logs[1], resumed).exists()
    (note,) = (e.said for e in read_ledger(tmp_path / LEDGER).entries if isinstance(e.said, Note))
    assert note == Note(2, f"superseded: broke off; moved to superseded/{place.name}/result_1.txt")


def test_nothing_to_move(tmp_path):
    assert supersede([tmp_path / "result_0.txt"], "broke off") is None
    assert not list(tmp_path.iterdir())


def test_a_ledger_that_is_none_stops_before_anything_moves(tmp_path):
    log = tmp_path / "result_0.txt"
    log.write_text("")
    append(tmp_path / LEDGER, Start(log.name, *(digit * 64 for digit in "abcd")))
    with open(tmp_path / LEDGER, "ab") as file:
        file.write(b"something else\n")
    with pytest.raises(ValueError, match="wanted"):
        supersede([log], "broke off")
    assert log.exists()
