"""Attending runs: what is told before they begin, while they run, and what is said where it can't be."""

import pytest

from benchmark.tree import receipts_path
from harness.witnessing.attendance import Attendance
from harness.witnessing.telling import Unheard, receipts_of
from tests.support.told import REQUEST, write


@pytest.fixture
def attended(store):
    return Attendance(lambda text: store.receipt_for("acme", text), REQUEST, "eval_accuracy")


def test_a_resumed_run_has_no_other_start(attended, store, tmp_path):
    log = tmp_path / "result_2.txt"
    attended.begin(log)
    write(log, "run_start")
    attended.end(log)
    assert attended.begin(log) == ["--registry", str(receipts_path(log)), "--entry", "1"]
    write(log, "eval_accuracy", "run_stop")
    attended.end(log)
    assert len(receipts_of(log)) == 4 and len(list(store.chain())) == 4


def test_a_start_without_a_log_is_told_anew(attended, store, tmp_path):
    """The run ended before it wrote its log. The witness keeps both starts."""
    log = tmp_path / "result_2.txt"
    for _ in range(2):
        attended.begin(log)
        attended.end(log)
    assert len(receipts_of(log)) == 1 and len(list(store.chain())) == 2


def test_what_could_not_be_told_is_said(store, tmp_path, capsys):
    """A start that cannot be told begins no run."""
    away = []

    def tell(text):
        if away:
            raise Unheard("http://witness: no route")
        return store.receipt_for("acme", text)

    attended, log = Attendance(tell, REQUEST, "eval_accuracy"), tmp_path / "result_0.txt"
    attended.begin(log)
    away.append(1)
    write(log, "run_start", "run_stop")
    attended.end(log)
    said = (
        "result_0: the witness was not told everything: http://witness: no route; tell the rest by harness/witness.py"
    )
    assert capsys.readouterr().err == f"{said} tell LOG\n"
    with pytest.raises(Unheard, match="no route"):
        attended.begin(tmp_path / "result_1.txt")
    assert not receipts_path(tmp_path / "result_1.txt").exists()
